// SPDX-License-Identifier: Apache-2.0
// What a further program in a running session is to be: where the session is entered, and which file inside a word of
// the user's means. The environment is the one that the session was started with, kept outside of it; the file lies in
// the sandbox and may be the agent's doing.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "bwrap/entering_child.h"
#include "manager/registry.h"

namespace agentctl::manager {

class SessionProgram {
 public:
  // `command` is not empty. Errors: the session has ended; no such program inside (ENOENT, EACCES, kind environment).
  // `file`, where it is one, is executed in place of what the first word means inside.
  [[nodiscard]] static Result<SessionProgram> find(const KnownSession& session, const std::vector<std::string>& command,
                                                   int file = -1);

  // Without the streams. Its descriptors are this object's.
  [[nodiscard]] const bwrap::EntryRequest& entry() const { return entry_; }
  [[nodiscard]] int leader_pidfd() const { return leader_.get(); }

 private:
  UniqueFd leader_;
  bwrap::EntryRequest entry_;
};

}  // namespace agentctl::manager
