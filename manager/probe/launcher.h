// SPDX-License-Identifier: Apache-2.0
// Launcher: starts what a sandbox is to be made by, in the state of a careless caller: at a terminal, in its foreground
// process group together with a bystander, in a directory outside of the project, with descriptors left open on it,
// with secrets in the environment, umask 0, SIGCHLD ignored, core dumps allowed. The bystander is the launcher's own
// process, the leader of the session: it says when a signal reaches it, and how the program ended, and stays until it
// is let go, so that the terminal can be looked at. All of them die with this process.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"

namespace agentctl::probe {

struct Launch {
  // Becomes the program, or gives the status to exit with; in a process of its own.
  std::function<int()> body;
  int terminal = -1;
  std::string directory;
  std::vector<std::string> environment;  // NAME=value, beside what there is
};

class Launcher {
 public:
  [[nodiscard]] static Result<Launcher> start(const Launch& launch);
  Launcher(Launcher&& other) noexcept;
  Launcher& operator=(Launcher&&) = delete;
  ~Launcher();

  // Readable when there is something to take().
  [[nodiscard]] int told() const { return told_.get(); }
  [[nodiscard]] int errors() const { return errors_.get(); }
  void take();
  [[nodiscard]] bool has_ended() const { return ended_; }
  [[nodiscard]] int exit_status() const { return status_; }
  [[nodiscard]] bool was_signalled() const { return signalled_; }
  // Asks the program to end, the second time ends it.
  void end();

 private:
  Launcher(pid_t pid, UniqueFd told, UniqueFd control, UniqueFd errors)
      : pid_(pid), told_(std::move(told)), control_(std::move(control)), errors_(std::move(errors)) {}

  pid_t pid_;
  UniqueFd told_, control_, errors_;
  bool ended_ = false;
  bool signalled_ = false;
  int status_ = 0;
};

}  // namespace agentctl::probe
