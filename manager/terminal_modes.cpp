// SPDX-License-Identifier: Apache-2.0
#include "manager/terminal_modes.h"

#include <algorithm>

#include "base/text.h"
#include "manager/sequence_numbers.h"

namespace agentctl::manager {
namespace {

constexpr std::size_t kDeepestStack = 16;

bool is_default_mode(int mode, bool is_set) {
  const bool on_by_default = mode == 7 || mode == 25 || mode == 1034 || mode == 1036 || mode == 1039;
  return is_set == on_by_default;
}

// Not brought back: the screens themselves, a saved cursor, a frame that was begun (2026).
bool is_momentary(int mode) { return mode == 1048 || mode == 2026; }

std::string mode_sequence(int mode, bool is_set) { return cat("\x1b[?", mode, is_set ? "h" : "l"); }

}  // namespace

void TerminalModes::on_control(char control) {
  if (control == 0x0e || control == 0x0f) is_shifted_ = control == 0x0e;
}

void TerminalModes::on_escape(std::string_view intermediates, char final) {
  if (intermediates.empty()) {
    if (final == '=' || final == '>') has_keypad_ = final == '=';
    if (final == 'c') *this = {};
    return;
  }
  const std::size_t set = std::string_view("()*+").find(intermediates[0]);
  if (intermediates.size() == 1 && set != std::string_view::npos) sets_[set] = final == 'B' ? '\0' : final;
}

void TerminalModes::on_sequence(const ControlSequence& sequence) {
  const std::string_view parameters = sequence.parameters;
  const bool has_leader = !parameters.empty() && parameters[0] >= '<' && parameters[0] <= '?';
  const char leader = has_leader ? parameters[0] : '\0';
  const auto numbers = sequence_numbers(has_leader ? parameters.substr(1) : parameters);
  if (!numbers) return;
  if (sequence.intermediates == " " && sequence.final == 'q') shape_ = parameters == "0" ? "" : parameters;
  if (sequence.intermediates == "!" && sequence.final == 'p') soft_reset();
  if (!sequence.intermediates.empty()) return;
  if ((sequence.final == 'h' || sequence.final == 'l') && (leader == 0 || leader == '?')) {
    for (const int mode : *numbers) set_mode(mode, sequence.final == 'h', leader == '?');
  } else if (sequence.final == 'r' && leader == 0) {
    margins_ = parameters;
  } else if (sequence.final == 'm' && leader == 0) {
    has_style_ = !numbers->empty() && numbers->back() != 0;
  } else if (sequence.final == 'm' && leader == '>') {
    const bool is_other_keys = !numbers->empty() && (*numbers)[0] == 4;
    if (is_other_keys || numbers->empty()) other_keys_ = numbers->size() > 1 && (*numbers)[1] > 0 ? parameters : "";
  } else if (sequence.final == 'u' && leader != 0 && leader != '?') {
    set_keyboard(sequence, *numbers);
  }
}

void TerminalModes::set_mode(int mode, bool is_set, bool is_private) {
  if (!is_private) {
    if (mode == 4) inserts_ = is_set;
    return;
  }
  if (is_momentary(mode)) return;
  if (mode == 47 || mode == 1047 || mode == 1049) {
    is_alternate_ = is_set;
    return;
  }
  if (mode == 66) has_keypad_ = is_set;
  // Each way of reporting the mouse takes the place of the others.
  const auto is_mouse = [](int other) { return other == 9 || (other >= 1000 && other <= 1003 && other != 1001); };
  if (is_mouse(mode)) std::erase_if(modes_, [&](const auto& entry) { return is_mouse(entry.first); });
  if (is_default_mode(mode, is_set))
    modes_.erase(mode);
  else
    modes_[mode] = is_set;
}

// kitty: CSI > FLAGS u pushes, CSI < COUNT u pops, CSI = FLAGS ; HOW u changes the top.
void TerminalModes::set_keyboard(const ControlSequence& sequence, const std::vector<int>& numbers) {
  std::vector<int>& stack = keyboard_[is_alternate_ ? 1 : 0];
  const int first = numbers.empty() ? 0 : numbers[0];
  if (sequence.parameters[0] == '>') {
    if (stack.size() == kDeepestStack) stack.erase(stack.begin());
    stack.push_back(first);
  } else if (sequence.parameters[0] == '<') {
    for (int count = std::max(first, 1); count > 0 && !stack.empty(); --count) stack.pop_back();
  } else {
    if (stack.empty()) stack.push_back(0);
    const int how = numbers.size() > 1 ? numbers[1] : 1;
    int& top = stack.back();
    top = how == 2 ? top | first : how == 3 ? top & ~first : first;
  }
}

void TerminalModes::on_string(StringKind kind, std::string_view body) {
  if (kind == StringKind::osc && body.starts_with("8;")) has_link_ = !body.ends_with(';');
  if (kind == StringKind::osc && (body.starts_with("0;") || body.starts_with("2;"))) title_ = body.substr(2);
}

// DECSTR, as xterm has it.
void TerminalModes::soft_reset() {
  for (const int mode : {1, 6, 7, 25, 66, 69}) modes_.erase(mode);
  inserts_ = has_keypad_ = is_shifted_ = has_style_ = false;
  margins_.clear();
  sets_ = {};
}

std::string TerminalModes::set_up() const {
  std::string bytes;
  for (const auto& [mode, is_set] : modes_) {
    if (mode != 6) bytes += mode_sequence(mode, is_set);
  }
  if (has_keypad_) bytes += "\x1b=";
  if (!shape_.empty()) bytes += cat("\x1b[", shape_, " q");
  if (!title_.empty()) bytes += cat("\x1b]2;", title_, "\x1b\\");
  if (!other_keys_.empty()) bytes += cat("\x1b[", other_keys_, "m");
  for (const int flags : keyboard_[is_alternate_ ? 1 : 0]) bytes += cat("\x1b[>", flags, "u");
  if (!margins_.empty()) bytes += cat("\x1b[", margins_, "r");
  return bytes;
}

std::string TerminalModes::set_up_last() const {
  std::string bytes;
  if (inserts_) bytes += "\x1b[4h";
  for (std::size_t set = 0; set < sets_.size(); ++set) {
    if (sets_[set] != 0) bytes += cat("\x1b", "()*+"[set], sets_[set]);
  }
  if (is_shifted_) bytes += '\x0e';
  return bytes;
}

std::string TerminalModes::reset() const {
  std::string bytes;
  const auto pop = [&](const std::vector<int>& stack) {
    if (!stack.empty()) bytes += cat("\x1b[<", stack.size(), "u");
  };
  pop(keyboard_[is_alternate_ ? 1 : 0]);
  if (is_alternate_) {
    bytes += "\x1b[?1049l";
    pop(keyboard_[0]);
  }
  for (const auto& [mode, is_set] : modes_) {
    if (mode != 6) bytes += mode_sequence(mode, !is_set);
  }
  if (has_keypad_) bytes += "\x1b>";
  if (inserts_) bytes += "\x1b[4l";
  if (!shape_.empty()) bytes += "\x1b[0 q";
  if (!other_keys_.empty()) bytes += "\x1b[>4m";
  // Both send the cursor to the first line.
  if (!margins_.empty() || modes_.contains(6))
    bytes +=
        "\x1b[?6l\x1b"
        "7\x1b[r\x1b"
        "8";
  for (std::size_t set = 0; set < sets_.size(); ++set) {
    if (sets_[set] != 0) bytes += cat("\x1b", "()*+"[set], "B");
  }
  if (is_shifted_) bytes += '\x0f';
  return bytes;
}

std::string forget_modes() {
  std::string bytes = "\x1b[<99u\x1b[?47l\x1b[<99u\x1b[>4m";
  for (const int mode : {1, 5, 9, 69, 1000, 1002, 1003, 1004, 1005, 1006, 1015, 1016, 2004, 2026, 2031, 2048}) {
    bytes += mode_sequence(mode, false);
  }
  return bytes + "\x1b[?7h\x1b[?25h\x1b>\x1b[0 q\x1b[?6l\x1b[r\x1b[m" + kPlainSets;
}

}  // namespace agentctl::manager
