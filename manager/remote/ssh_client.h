// SPDX-License-Identifier: Apache-2.0
// Runs ssh(1) with our own three streams and terminal, and waits for its end. ssh's life is tied to ours: killed by
// whatever, we take it along, and it restores the terminal. It may ask for passwords and host keys: it has the
// terminal.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace agentctl::manager {

struct SshEnd {
  int status = 0;     // its exit status
  int killed_by = 0;  // the signal, where it has none
  int asked_by = 0;   // the signal that asked us to end meanwhile, and that ssh got too: it exits with 255 then
};

// `words`: of ssh_words(). Errors: ssh not found (kind environment), cannot be run. Takes this process's signals.
[[nodiscard]] Result<SshEnd> run_ssh(std::vector<std::string> words);

}  // namespace agentctl::manager
