// SPDX-License-Identifier: Apache-2.0
// PlainOutput: what a program printed on its terminal, as lines of text. Control sequences are gone, a line that was
// written over stands there as it was last, and nothing of it is obeyed by the terminal that it is shown on. Pure.
#pragma once

#include <string>
#include <string_view>

#include "manager/escape_parser.h"
#include "manager/terminal_events.h"

namespace agentctl::manager {

class PlainOutput : private TerminalEvents {
 public:
  PlainOutput() = default;
  PlainOutput(const PlainOutput&) = delete;
  PlainOutput& operator=(const PlainOutput&) = delete;

  // Gives the lines that are complete now.
  [[nodiscard]] std::string pass(std::string_view output);
  // The line that never was, with an end.
  [[nodiscard]] std::string rest();

 private:
  void on_text(std::string_view text) override;
  void on_control(char control) override;
  void on_escape(std::string_view, char) override {}
  void on_sequence(const ControlSequence& sequence) override;
  void on_string(StringKind, std::string_view, bool) override {}
  void end_line();

  EscapeParser parser_{*this};
  std::string lines_;
  std::string line_;
  bool is_at_start_ = false;  // after a carriage return: what comes is written over the line
};

}  // namespace agentctl::manager
