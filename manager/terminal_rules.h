// SPDX-License-Identifier: Apache-2.0
// What a program may do to a terminal that is not its own: draw, and ask what its answers tell it nothing to type.
// Closed by default: what is not named here does not pass. Kept out is what
//   - writes or reads outside of the screen: clipboard (OSC 52), files and images (APC, DCS), the printer (CSI i),
//     notifications, the terminal's own configuration;
//   - makes the terminal type text that the program chose: reports of title (CSI 21 t), settings (DECRQSS, XTGETTCAP),
//     checksums of the screen, the answerback (ENQ);
//   - changes how the bytes that follow are read (8-bit controls, other character sets than UTF-8, VT52);
//   - resizes, moves or locks the window or keyboard.
// Sources: xterm's ctlseqs; the manuals of kitty, foot and VTE. Pure.
#pragma once

#include <string>
#include <string_view>

#include "manager/terminal_events.h"

namespace agentctl::manager {

[[nodiscard]] bool may_pass_control(char control);
[[nodiscard]] bool may_pass_escape(std::string_view intermediates, char final);
// Of a list of modes (final 'h' or 'l') it tells nothing: see may_pass_mode.
[[nodiscard]] bool may_pass_sequence(const ControlSequence& sequence);
// A mode of CSI ? … h, or of CSI … h when not private.
[[nodiscard]] bool may_pass_mode(int mode, bool is_private);
// The body of an OSC as it may pass; empty: it may not.
[[nodiscard]] std::string passable_osc(std::string_view body);

}  // namespace agentctl::manager
