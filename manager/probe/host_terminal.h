// SPDX-License-Identifier: Apache-2.0
// HostTerminal: the terminal at which the probe's launcher sits, with the host half in place of the user: it keeps what
// arrives there and looks at what has become of it. One for each run, since a terminal is worn out with its session.
#pragma once

#include <termios.h>

#include <string>
#include <string_view>

#include "base/result.h"
#include "base/unique_fd.h"
#include "manager/probe/evidence.h"

namespace agentctl::probe {

class HostTerminal {
 public:
  [[nodiscard]] static Result<HostTerminal> open();

  [[nodiscard]] int master() const { return master_.get(); }
  // The file description that the launched program shares with us.
  [[nodiscard]] int slave() const { return slave_.get(); }

  // What can be read now; also kept.
  [[nodiscard]] std::string read();
  void type(std::string_view keys);
  // While somebody still sits there: what was typed by others, what was changed, what was printed.
  void look(Evidence& evidence);

 private:
  HostTerminal(UniqueFd master, UniqueFd slave) : master_(std::move(master)), slave_(std::move(slave)) {}

  UniqueFd master_;
  UniqueFd slave_;
  termios attributes_{};
  std::string printed_;
};

}  // namespace agentctl::probe
