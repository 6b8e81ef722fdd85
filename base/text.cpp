// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"

#include <algorithm>
#include <cstdint>

namespace agentctl {
namespace {

// One code point at text[at]; length 0 says that the bytes there are not valid UTF-8 (RFC 3629: no overlong
// forms, no surrogates).
struct CodePoint {
  std::uint32_t value = 0;
  std::size_t length = 0;
};

CodePoint decode(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(at);
  if (lead < 0x80) return {lead, 1};
  std::size_t length = 0;
  std::uint32_t value = 0;
  std::uint32_t smallest = 0;
  if ((lead & 0xe0) == 0xc0) {
    length = 2, value = lead & 0x1fU, smallest = 0x80;
  } else if ((lead & 0xf0) == 0xe0) {
    length = 3, value = lead & 0x0fU, smallest = 0x800;
  } else if ((lead & 0xf8) == 0xf0) {
    length = 4, value = lead & 0x07U, smallest = 0x10000;
  } else {
    return {};
  }
  if (at + length > text.size()) return {};
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(at + i) & 0xc0) != 0x80) return {};
    value = (value << 6) | (byte(at + i) & 0x3fU);
  }
  if (value < smallest || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff)) return {};
  return {value, length};
}

// Code points that change how a line looks rather than what it says: bidirectional controls, line separators,
// zero-width characters and the byte order mark.
bool is_deceptive(std::uint32_t point) {
  return (point >= 0x200b && point <= 0x200f) || (point >= 0x2028 && point <= 0x202e) ||
         (point >= 0x2060 && point <= 0x206f) || point == 0x061c || point == 0xfeff || point == 0x180e;
}

constexpr std::string_view kHex = "0123456789abcdef";

void append_hex(std::string& out, std::uint32_t value, int digits) {
  for (int shift = (digits - 1) * 4; shift >= 0; shift -= 4) out += kHex[(value >> shift) & 0xfU];
}

}  // namespace

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  parts.reserve(static_cast<std::size_t>(std::count(text.begin(), text.end(), separator)) + 1);
  for_each_part(text, separator, [&](std::string_view part) { parts.emplace_back(part); });
  return parts;
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string out;
  for (const std::string& part : parts) {
    if (!out.empty()) out += separator;
    out += part;
  }
  return out;
}

std::string join_some(const std::vector<std::string>& parts, std::string_view separator, std::size_t most) {
  if (parts.size() <= most) return join(parts, separator);
  const auto end = parts.begin() + static_cast<std::ptrdiff_t>(most);
  return cat(join({parts.begin(), end}, separator), " and ", parts.size() - most, " more");
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

std::string ascii_lower(std::string_view text) {
  std::string lower(text);
  for (char& letter : lower) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  }
  return lower;
}

bool starts_with_path(std::string_view path, std::string_view ancestor) {
  if (ancestor == "/") return path.starts_with('/');
  return path.starts_with(ancestor) && (path.size() == ancestor.size() || path[ancestor.size()] == '/');
}

std::string printable(std::string_view text) {
  const auto is_plain = [](char character) { return character >= 0x20 && character < 0x7f; };
  if (std::all_of(text.begin(), text.end(), is_plain)) return std::string(text);
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = decode(text, at);
    if (point.length == 0) {
      out += "\\x";
      append_hex(out, static_cast<unsigned char>(text[at]), 2);
      ++at;
      continue;
    }
    if (point.value < 0x20 || (point.value >= 0x7f && point.value < 0xa0)) {
      out += "\\x";
      append_hex(out, point.value, 2);
    } else if (is_deceptive(point.value)) {
      out += "\\u";
      append_hex(out, point.value, 4);
    } else {
      out += text.substr(at, point.length);
    }
    at += point.length;
  }
  return out;
}

std::string shell_quote(std::string_view word) {
  constexpr std::string_view kPlain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./:=,+@%^";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string_view::npos) return std::string(word);
  bool has_control = false;
  for (const char character : word) has_control |= static_cast<unsigned char>(character) < 0x20 || character == 0x7f;
  std::string out = has_control ? "$'" : "'";
  for (const char character : word) {
    const auto byte = static_cast<unsigned char>(character);
    if (has_control && (byte < 0x20 || byte == 0x7f)) {
      out += "\\x";
      append_hex(out, byte, 2);
    } else if (has_control && (character == '\'' || character == '\\')) {
      out += '\\';
      out += character;
    } else if (character == '\'') {
      out += "'\\''";
    } else {
      out += character;
    }
  }
  out += '\'';
  return out;
}

std::string shell_quote(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) {
    if (!out.empty()) out += ' ';
    out += shell_quote(word);
  }
  return out;
}

std::string json_quote(std::string_view text) {
  std::string out = "\"";
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = decode(text, at);
    if (point.length == 0) {
      out += "\\ufffd";
      ++at;
      continue;
    }
    if (point.value == '"' || point.value == '\\') {
      out += '\\';
      out += static_cast<char>(point.value);
    } else if (point.value < 0x20 || (point.value >= 0x7f && point.value < 0xa0) || is_deceptive(point.value)) {
      out += "\\u";
      append_hex(out, point.value, 4);
    } else {
      out += text.substr(at, point.length);
    }
    at += point.length;
  }
  out += '"';
  return out;
}

}  // namespace agentctl
