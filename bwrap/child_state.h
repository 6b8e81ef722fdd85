// SPDX-License-Identifier: Apache-2.0
// What a child of ours sets right before it executes something else. Async-signal-safe: usable between fork and exec.
// Sources: signal(7), proc(5) (oom_score_adj).
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

namespace agentctl::bwrap {

// Every disposition the default and no signal blocked; those that a keyboard or a closed terminal sends are ignored
// instead where `ignores_keys`.
inline void reset_signals(bool ignores_keys) {
  struct sigaction action {};
  sigemptyset(&action.sa_mask);
  for (int signal = 1; signal < _NSIG; ++signal) {
    const bool is_key =
        signal == SIGHUP || signal == SIGINT || signal == SIGQUIT || signal == SIGTERM || signal == SIGTSTP;
    action.sa_handler = ignores_keys && is_key ? SIG_IGN : SIG_DFL;
    ::sigaction(signal, &action, nullptr);  // KILL and STOP refuse, which is fine
  }
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

// So that the kernel, under pressure, prefers the agent to its supervisor.
inline void raise_oom_score() {
  const int fd = ::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (fd < 0) return;
  (void)!::write(fd, "300", 3);
  ::close(fd);
}

}  // namespace agentctl::bwrap
