// SPDX-License-Identifier: Apache-2.0
// LoggedSession: the session whose log is asked for: one that runs, else the one of that name that ended last; and the
// wait for more in its log.
#pragma once

#include <string>

#include "base/result.h"
#include "base/unique_fd.h"

namespace agentctl::manager {

struct LoggedSession {
  std::string id;
  std::string name;
  UniqueFd supervisor;       // pidfd; none: the session is over
  bool has_terminal = true;  // false: known to have none
  std::string network;       // its mode; empty: nobody knows any more
};

// `state`: of state_dir_path().
[[nodiscard]] Result<LoggedSession> find_logged_session(const std::string& name, const std::string& state);

// Waits until a file of the log has changed or the session is over.
class LogWatch {
 public:
  // `path`: a directory, or one file in it, which is seen to change also where it was opened before it had its name.
  explicit LogWatch(const std::string& path);
  void add(const std::string& path);
  // True: it is over, or nobody reads any more what we print, which a session that prints nothing would never let us
  // know.
  bool wait(int supervisor);

 private:
  UniqueFd inotify_;
};

}  // namespace agentctl::manager
