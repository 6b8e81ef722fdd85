// SPDX-License-Identifier: Apache-2.0
#include "manager/output_filter.h"

#include <string>

#include "base/text.h"
#include "manager/sequence_numbers.h"
#include "manager/terminal_rules.h"

namespace agentctl::manager {

void OutputFilter::on_control(char control) {
  if (may_pass_control(control)) next_.on_control(control);
}

void OutputFilter::on_escape(std::string_view intermediates, char final) {
  if (may_pass_escape(intermediates, final)) next_.on_escape(intermediates, final);
}

void OutputFilter::on_sequence(const ControlSequence& sequence) {
  if ((sequence.final == 'h' || sequence.final == 'l') && sequence.intermediates.empty()) {
    const bool is_private = sequence.parameters.starts_with('?');
    return pass_modes(sequence, is_private);
  }
  if (may_pass_sequence(sequence)) next_.on_sequence(sequence);
}

// Of a list the modes that may pass, in their order.
void OutputFilter::pass_modes(const ControlSequence& sequence, bool is_private) {
  const auto modes = sequence_numbers(sequence.parameters.substr(is_private ? 1 : 0));
  if (!modes) return;
  std::string passed;
  for (const int mode : *modes) {
    if (may_pass_mode(mode, is_private)) passed += cat(passed.empty() ? "" : ";", mode);
  }
  if (passed.empty()) return;
  if (is_private) passed = cat("?", passed);
  next_.on_sequence({passed, "", sequence.final});
}

void OutputFilter::on_string(StringKind kind, std::string_view body, bool ends_with_bell) {
  if (kind != StringKind::osc) return;
  if (const std::string passed = passable_osc(body); !passed.empty()) next_.on_string(kind, passed, ends_with_bell);
}

}  // namespace agentctl::manager
