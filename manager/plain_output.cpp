// SPDX-License-Identifier: Apache-2.0
#include "manager/plain_output.h"

#include <utility>

#include "base/text.h"

namespace agentctl::manager {
namespace {

constexpr std::size_t kLongestLine = 65536;
constexpr std::size_t kTab = 8;

}  // namespace

std::string PlainOutput::pass(std::string_view output) {
  parser_.parse(output);
  return std::exchange(lines_, {});
}

std::string PlainOutput::rest() {
  if (!line_.empty()) end_line();
  return std::exchange(lines_, {});
}

void PlainOutput::end_line() {
  lines_ += printable(line_);
  lines_ += '\n';
  line_.clear();
  is_at_start_ = false;
}

void PlainOutput::on_text(std::string_view text) {
  if (std::exchange(is_at_start_, false)) line_.clear();
  if (line_.size() + text.size() > kLongestLine && !line_.empty()) end_line();
  line_ += text;
}

void PlainOutput::on_control(char control) {
  if (control == '\n') end_line();
  if (control == '\r') is_at_start_ = true;
  if (control == '\t') on_text(std::string(kTab - line_.size() % kTab, ' '));
  if (control == '\b' && !is_at_start_) {
    while (!line_.empty() && (static_cast<unsigned char>(line_.back()) & 0xc0U) == 0x80U) line_.pop_back();
    if (!line_.empty()) line_.pop_back();
  }
}

// Text that a full-screen program puts elsewhere is a line of its own.
void PlainOutput::on_sequence(const ControlSequence& sequence) {
  if (!sequence.intermediates.empty()) return;
  if (sequence.final == 'C') return on_text(" ");
  if (std::string_view("ABEFHfd").find(sequence.final) != std::string_view::npos && !line_.empty()) end_line();
}

}  // namespace agentctl::manager
