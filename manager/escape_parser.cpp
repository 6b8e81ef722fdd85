// SPDX-License-Identifier: Apache-2.0
#include "manager/escape_parser.h"

#include <algorithm>

namespace agentctl::manager {
namespace {

constexpr char kEscape = 0x1b;
constexpr std::size_t kMostIntermediates = 4;
constexpr std::size_t kLongestSequence = 256;
constexpr std::size_t kLongestString = 4096;
constexpr std::string_view kReplacement = "\xef\xbf\xbd";

bool is_between(char byte, unsigned low, unsigned high) {
  const auto value = static_cast<unsigned char>(byte);
  return value >= low && value <= high;
}

bool is_control(char byte) { return is_between(byte, 0, 0x1f) || byte == 0x7f; }
bool is_ascii_text(char byte) { return is_between(byte, 0x20, 0x7e); }
bool cancels(char byte) { return byte == 0x18 || byte == 0x1a; }  // CAN, SUB

std::size_t expected_length(char lead) {
  if (is_between(lead, 0xc2, 0xdf)) return 2;
  if (is_between(lead, 0xe0, 0xef)) return 3;
  if (is_between(lead, 0xf0, 0xf4)) return 4;
  return 1;
}

// Neither longer than need be, nor half of a pair, nor beyond the last character (RFC 3629).
bool may_be_second(char lead, char byte) {
  if (lead == '\xe0') return is_between(byte, 0xa0, 0xbf);
  if (lead == '\xed') return is_between(byte, 0x80, 0x9f);
  if (lead == '\xf0') return is_between(byte, 0x90, 0xbf);
  if (lead == '\xf4') return is_between(byte, 0x80, 0x8f);
  return is_between(byte, 0x80, 0xbf);
}

// How many bytes of the character that `text` begins with are there; all of them when that is expected_length().
std::size_t length_present(std::string_view text) {
  const std::size_t wanted = std::min(expected_length(text[0]), text.size());
  std::size_t length = 1;
  while (length < wanted && (length == 1 ? may_be_second(text[0], text[1]) : is_between(text[length], 0x80, 0xbf))) {
    ++length;
  }
  return length;
}

}  // namespace

void EscapeParser::parse(std::string_view bytes) {
  std::string joined;
  if (!partial_.empty()) {
    joined = std::move(partial_);
    partial_.clear();
    joined += bytes;
    bytes = joined;
  }
  while (!bytes.empty()) {
    if (state_ == State::ground && !is_control(bytes[0])) {
      const std::size_t count = parse_text(bytes);
      if (count == 0) {
        partial_ = bytes;
        return;
      }
      bytes.remove_prefix(count);
    } else {
      if (parse_byte(bytes[0])) bytes.remove_prefix(1);
    }
  }
}

// Gives how many bytes it took: 0 when the only character there is not complete.
std::size_t EscapeParser::parse_text(std::string_view bytes) {
  std::size_t end = 0;
  while (end < bytes.size() && !is_control(bytes[end])) {
    if (is_ascii_text(bytes[end])) {
      ++end;
      continue;
    }
    const std::string_view rest = bytes.substr(end);
    const std::size_t length = length_present(rest);
    const bool is_whole = length == expected_length(rest[0]);
    if (!is_whole && length == rest.size()) break;  // the next call may bring more of it
    const bool is_c1 = length == 2 && rest[0] == '\xc2' && is_between(rest[1], 0x80, 0x9f);
    if (!is_whole || length == 1 || is_c1) {
      if (end > 0) break;
      events_.on_text(kReplacement);
      return is_c1 ? length : 1;
    }
    end += length;
  }
  if (end > 0) events_.on_text(bytes.substr(0, end));
  return end;
}

// False: the byte ends what was begun and belongs to the text after it.
bool EscapeParser::parse_byte(char byte) {
  if (state_ == State::ground) {
    if (byte == kEscape)
      begin(State::escape);
    else
      events_.on_control(byte);
    return true;
  }
  if (state_ == State::string || state_ == State::string_escape) {
    on_string_byte(byte);
    return true;
  }
  if (byte == kEscape) {
    begin(State::escape);
  } else if (cancels(byte)) {
    begin(State::ground);
  } else if (is_control(byte)) {
    events_.on_control(byte);  // obeyed in the midst of a sequence (ECMA-48)
  } else if (!is_ascii_text(byte)) {
    begin(State::ground);
    return false;
  } else if (state_ == State::escape) {
    on_escape_byte(byte);
  } else {
    on_sequence_byte(byte);
  }
  return true;
}

void EscapeParser::begin(State state) {
  state_ = state;
  kept_.clear();
  is_too_long_ = false;
}

void EscapeParser::keep(char byte, std::size_t most) {
  if (kept_.size() < most)
    kept_ += byte;
  else
    is_too_long_ = true;
}

void EscapeParser::on_escape_byte(char byte) {
  if (is_between(byte, 0x20, 0x2f)) return keep(byte, kMostIntermediates);
  if (kept_.empty()) {
    if (byte == '[') return begin(State::sequence);
    for (const StringKind kind :
         {StringKind::osc, StringKind::dcs, StringKind::sos, StringKind::pm, StringKind::apc, StringKind::title}) {
      if (byte != static_cast<char>(kind)) continue;
      kind_ = kind;
      return begin(State::string);
    }
  }
  if (!is_too_long_) events_.on_escape(kept_, byte);
  begin(State::ground);
}

void EscapeParser::on_sequence_byte(char byte) {
  if (is_between(byte, 0x20, 0x3f)) return keep(byte, kLongestSequence);
  finish_sequence(byte);
}

void EscapeParser::finish_sequence(char final) {
  const std::string_view text = kept_;
  const auto is_parameter = [](char byte) { return is_between(byte, 0x30, 0x3f); };
  const auto cut = static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_parameter) - text.begin());
  const std::string_view intermediates = text.substr(cut);
  const bool is_well_formed = std::none_of(intermediates.begin(), intermediates.end(), is_parameter);
  if (!is_too_long_ && is_well_formed) events_.on_sequence({text.substr(0, cut), intermediates, final});
  begin(State::ground);
}

void EscapeParser::on_string_byte(char byte) {
  if (state_ == State::string_escape) {
    if (byte == '\\') return finish_string(false);
    begin(State::escape);  // any other escape sequence takes the place of the string
    (void)parse_byte(byte);
    return;
  }
  if (byte == kEscape) {
    state_ = State::string_escape;
  } else if (cancels(byte)) {
    begin(State::ground);
  } else if (byte == '\a' && kind_ == StringKind::osc) {
    finish_string(true);
  } else {
    keep(byte, kLongestString);
  }
}

void EscapeParser::finish_string(bool ends_with_bell) {
  if (!is_too_long_) events_.on_string(kind_, kept_, ends_with_bell);
  begin(State::ground);
}

}  // namespace agentctl::manager
