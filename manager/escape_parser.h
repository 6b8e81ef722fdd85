// SPDX-License-Identifier: Apache-2.0
// EscapeParser: cuts the output of a program into what it does to a terminal. It keeps what is not complete yet, at
// most a few kilobytes, for the next call. C1 controls (the characters U+0080 to U+009f, and as bytes outside of a
// character), which some terminals obey and others do not, come out as U+FFFD, and so does what is no UTF-8.
// What is malformed or longer than anything that programs send comes out as nothing. Pure.
#pragma once

#include <string>
#include <string_view>

#include "manager/terminal_events.h"

namespace agentctl::manager {

class EscapeParser {
 public:
  // `events` outlives it.
  explicit EscapeParser(TerminalEvents& events) : events_(events) {}
  void parse(std::string_view bytes);

 private:
  enum class State { ground, escape, sequence, string, string_escape };

  std::size_t parse_text(std::string_view bytes);
  bool parse_byte(char byte);
  void on_escape_byte(char byte);
  void on_sequence_byte(char byte);
  void on_string_byte(char byte);
  void keep(char byte, std::size_t most);
  void begin(State state);
  void finish_sequence(char final);
  void finish_string(bool ends_with_bell);

  TerminalEvents& events_;
  State state_ = State::ground;
  StringKind kind_ = StringKind::osc;
  bool is_too_long_ = false;
  std::string kept_;     // of a sequence or string
  std::string partial_;  // of a character
};

}  // namespace agentctl::manager
