// SPDX-License-Identifier: Apache-2.0
// A child that does nothing until it is told to, then what it was made for. Ends with its owner.
#pragma once

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "base/file.h"

namespace agentctl::test {

class HeldProcess {
 public:
  explicit HeldProcess(void (*work)() = nullptr) {
    auto pipe = make_pipe();
    if (!pipe) std::abort();
    pid_ = ::fork();
    if (pid_ == 0) {
      pipe->write_end.reset();
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      for (const int signal : {SIGTERM, SIGINT, SIGSEGV, SIGABRT}) ::signal(signal, SIG_DFL);  // doctest catches them
      char byte = 0;
      if (::read(pipe->read_end.get(), &byte, 1) == 1 && work != nullptr) work();
      ::_exit(0);
    }
    gate_ = std::move(pipe->write_end);
  }
  HeldProcess(const HeldProcess&) = delete;
  HeldProcess& operator=(const HeldProcess&) = delete;
  ~HeldProcess() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }

  [[nodiscard]] pid_t pid() const { return pid_; }
  void release() { (void)!::write(gate_.get(), "g", 1); }
  // As waitpid(2) tells it.
  [[nodiscard]] int wait() {
    int status = 0;
    ::waitpid(std::exchange(pid_, 0), &status, 0);
    return status;
  }

 private:
  pid_t pid_ = 0;
  UniqueFd gate_;
};

}  // namespace agentctl::test
