// SPDX-License-Identifier: Apache-2.0
// TerminalEvents: what a program does to its terminal, piece by piece, as EscapeParser finds it. Views hold until the
// call returns. Sources: ECMA-48; xterm's ctlseqs.
#pragma once

#include <string_view>

namespace agentctl::manager {

// "ESC [ ? 25 l" is { "?25", "", 'l' }.
struct ControlSequence {
  std::string_view parameters;
  std::string_view intermediates;
  char final = 0;
};

enum class StringKind : char {
  osc = ']',
  dcs = 'P',
  sos = 'X',
  pm = '^',
  apc = '_',
  title = 'k',  // of screen and tmux
};

class TerminalEvents {
 public:
  virtual ~TerminalEvents() = default;
  // Whole characters of UTF-8, and no controls.
  virtual void on_text(std::string_view text) = 0;
  virtual void on_control(char control) = 0;  // below 0x20, and 0x7f
  virtual void on_escape(std::string_view intermediates, char final) = 0;
  virtual void on_sequence(const ControlSequence& sequence) = 0;
  virtual void on_string(StringKind kind, std::string_view body, bool ends_with_bell) = 0;
};

}  // namespace agentctl::manager
