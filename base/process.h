// SPDX-License-Identifier: Apache-2.0
// Processes by more than their number: a pid is reused, a pid with its start time within one boot is not
// (proc(5), /proc/PID/stat field 22).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "base/result.h"
#include "base/unique_fd.h"

namespace agentctl {

struct ProcessStat {
  pid_t pid = 0;
  char state = '?';
  pid_t ppid = 0;
  pid_t pgrp = 0;
  std::uint64_t start_time = 0;  // clock ticks since boot
};

struct ProcessIdentity {
  pid_t pid = 0;
  std::uint64_t start_time = 0;
  friend bool operator==(const ProcessIdentity&, const ProcessIdentity&) = default;
};

[[nodiscard]] Result<ProcessStat> read_process_stat(pid_t pid);
[[nodiscard]] Result<ProcessIdentity> identify_process(pid_t pid);
// True while that very process lives; a zombie counts as dead.
[[nodiscard]] bool is_alive(const ProcessIdentity& process);
[[nodiscard]] Result<std::string> boot_id();

// pidfd_open(2), pidfd_send_signal(2): readable when the process has ended. ESRCH when it has been reaped.
[[nodiscard]] Result<UniqueFd> open_pidfd(pid_t pid);
[[nodiscard]] Result<void> signal_pidfd(int pidfd, int signal);

}  // namespace agentctl
