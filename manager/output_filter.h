// SPDX-License-Identifier: Apache-2.0
// OutputFilter: lets through what a program may do to a terminal (terminal_rules.h) and drops the rest. Pure.
#pragma once

#include "manager/terminal_events.h"

namespace agentctl::manager {

class OutputFilter : public TerminalEvents {
 public:
  // `next` gets what passes and outlives it.
  explicit OutputFilter(TerminalEvents& next) : next_(next) {}

  void on_text(std::string_view text) override { next_.on_text(text); }
  void on_control(char control) override;
  void on_escape(std::string_view intermediates, char final) override;
  void on_sequence(const ControlSequence& sequence) override;
  void on_string(StringKind kind, std::string_view body, bool ends_with_bell) override;

 private:
  void pass_modes(const ControlSequence& sequence, bool is_private);

  TerminalEvents& next_;
};

}  // namespace agentctl::manager
