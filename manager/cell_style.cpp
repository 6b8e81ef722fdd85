// SPDX-License-Identifier: Apache-2.0
#include "manager/cell_style.h"

#include <algorithm>
#include <vector>

#include "base/text.h"

namespace agentctl::manager {
namespace {

constexpr std::ptrdiff_t kMostNumbers = 16;  // in one sequence; terminals have no room for more, and libvterm writes on

std::string colour_parameters(const CellColour& colour, int base) {
  const int index = colour.red;
  switch (colour.kind) {
    case CellColour::Kind::terminals_own:
      return {};
    case CellColour::Kind::indexed:
      if (index < 8) return cat(";", base + index);
      if (index < 16) return cat(";", base + 60 + index - 8);
      return cat(";", base + 8, ";5;", index);
    case CellColour::Kind::rgb:
      return cat(";", base + 8, ";2;", int{colour.red}, ";", int{colour.green}, ";", int{colour.blue});
  }
  return {};
}

// How many parts a colour takes after 38, 48 or 58: "5;N" or "2;R;G;B".
std::size_t colour_length(const std::vector<std::string>& parts, std::size_t at) {
  if (at + 1 >= parts.size()) return 0;
  if (parts[at + 1] == "5") return 2;
  return parts[at + 1] == "2" ? 4 : 0;
}

}  // namespace

std::string style_sequence(const CellStyle& style) {
  std::string parameters = "0";
  if (style.bold) parameters += ";1";
  if (style.dim) parameters += ";2";
  if (style.italic) parameters += ";3";
  if (style.underline == 1) parameters += ";4";
  if (style.underline > 1) parameters += cat(";4:", style.underline);
  if (style.blink) parameters += ";5";
  if (style.reverse) parameters += ";7";
  if (style.strike) parameters += ";9";
  const std::string colours = cat(colour_parameters(style.foreground, 30), colour_parameters(style.background, 40));
  const auto separates = [](char byte) { return byte == ';' || byte == ':'; };
  const auto numbers = std::count_if(parameters.begin(), parameters.end(), separates) +
                       std::count(colours.begin(), colours.end(), ';') + 1;
  if (numbers <= kMostNumbers) return cat("\x1b[", parameters, colours, "m");
  return cat("\x1b[", parameters, "m\x1b[", std::string_view(colours).substr(1), "m");
}

std::optional<std::string> style_for_model(std::string_view parameters) {
  const std::vector<std::string> parts = split(parameters, ';');
  std::vector<std::string> known;
  for (std::size_t at = 0; at < parts.size(); ++at) {
    const std::string& part = parts[at];
    if (part == "38" || part == "48" || part == "58") {
      const std::size_t end = std::min(at + colour_length(parts, at), parts.size() - 1);
      if (part != "58")
        known.insert(known.end(), parts.begin() + static_cast<std::ptrdiff_t>(at),
                     parts.begin() + static_cast<std::ptrdiff_t>(end) + 1);
      at = end;
    } else if (part == "2") {
      known.push_back(cat(10 + kDimFont));
    } else if (part == "22") {
      known.insert(known.end(), {"22", "10"});
    } else if (!part.starts_with("58:") && !(part.size() == 2 && part[0] == '1')) {
      known.push_back(part);
    }
  }
  if (known.empty()) return std::nullopt;
  return join(known, ";");
}

}  // namespace agentctl::manager
