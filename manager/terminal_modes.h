// SPDX-License-Identifier: Apache-2.0
// TerminalModes: how a program has set its terminal up, apart from what is on the screen: modes, keyboard protocols,
// title, cursor shape, margins, character sets. Fed with what has passed the filter. Pure.
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "manager/terminal_events.h"

namespace agentctl::manager {

class TerminalModes {
 public:
  void on_escape(std::string_view intermediates, char final);
  void on_control(char control);
  void on_sequence(const ControlSequence& sequence);
  void on_string(StringKind kind, std::string_view body);

  [[nodiscard]] bool is_alternate() const { return is_alternate_; }
  // No margins, no characters that push others aside.
  [[nodiscard]] bool scrolls_whole_screen() const {
    return margins_.empty() && !inserts_ && !modes_.contains(6) && !modes_.contains(69);
  }
  // Brings a terminal that is in its default state into this one, but for the screen it shows and the cursor's place.
  // Where the cursor is afterwards is undefined.
  [[nodiscard]] std::string set_up() const;
  // What depends on where the cursor is put: after it was put there.
  [[nodiscard]] std::string set_up_last() const;
  // Brings a terminal from this state back to the default one; the cursor stays in its line.
  [[nodiscard]] std::string reset() const;

 private:
  void set_mode(int mode, bool is_set, bool is_private);
  void set_keyboard(const ControlSequence& sequence, const std::vector<int>& numbers);
  void soft_reset();

  bool is_alternate_ = false;
  std::map<int, bool> modes_;                 // private ones that are not as by default
  bool inserts_ = false;                      // ANSI mode 4
  bool has_keypad_ = false;                   // ESC =
  std::string margins_;                       // parameters of CSI r
  std::string shape_;                         // parameters of CSI SP q
  std::string title_;                         // of OSC 0 or 2
  std::string other_keys_;                    // parameters of CSI > 4 ; … m
  std::array<char, 4> sets_{};                // final byte of the designation of G0 to G3, 0: the default
  bool is_shifted_ = false;                   // SO
  bool has_style_ = false;                    // text is not printed plainly
  bool has_link_ = false;                     // OSC 8 is open
  std::array<std::vector<int>, 2> keyboard_;  // kitty's stack of flags, of either screen
};

// The character sets of a terminal that draws what it is given.
inline constexpr const char* kPlainSets = "\x1b(B\x0f\x1b[4l";
// Brings any terminal into its default state, whatever a program had set; where its cursor is then is undefined.
[[nodiscard]] std::string forget_modes();

}  // namespace agentctl::manager
