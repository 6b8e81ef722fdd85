// SPDX-License-Identifier: Apache-2.0
// CellStyle: how a character on a screen looks, and the control sequence (SGR) that makes it look so. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace agentctl::manager {

struct CellColour {
  enum class Kind : std::uint8_t { terminals_own, indexed, rgb } kind = Kind::terminals_own;
  std::uint8_t red = 0;  // or the index
  std::uint8_t green = 0;
  std::uint8_t blue = 0;
  friend bool operator==(const CellColour&, const CellColour&) = default;
};

struct CellStyle {
  bool bold = false;
  bool dim = false;
  bool italic = false;
  int underline = 0;  // 1 single, 2 double, 3 curly
  bool blink = false;
  bool reverse = false;
  bool strike = false;
  CellColour foreground;
  CellColour background;
  friend bool operator==(const CellStyle&, const CellStyle&) = default;
};

[[nodiscard]] std::string style_sequence(const CellStyle& style);

// libvterm knows no dim characters; they are drawn in a font of this number, which it keeps and nothing else uses.
inline constexpr int kDimFont = 1;
// The parameters of an SGR as libvterm may see them: dim as that font, and without colours of the underline, whose
// numbers it would take for something else. None: nothing is left of it.
[[nodiscard]] std::optional<std::string> style_for_model(std::string_view parameters);

}  // namespace agentctl::manager
