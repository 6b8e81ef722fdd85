// SPDX-License-Identifier: Apache-2.0
// DetachKeys: finds C-] d in what is typed. C-] C-] is one C-] for the agent; after C-] any other key goes to it, the
// C-] before it too. The same keys are known as the keyboard protocols of kitty (CSI 93;5u) and xterm (modifyOtherKeys,
// CSI 27;5;93~) send them, when they come in one piece. Pure.
#pragma once

#include <string>
#include <string_view>

namespace agentctl::manager {

class DetachKeys {
 public:
  // Gives what is for the agent; nothing after the keys were found.
  [[nodiscard]] std::string pass(std::string_view typed);
  [[nodiscard]] bool found() const { return found_; }

 private:
  std::string pending_;  // the C-] as it came, while it is not known what it begins
  bool found_ = false;
};

}  // namespace agentctl::manager
