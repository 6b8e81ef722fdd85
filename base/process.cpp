// SPDX-License-Identifier: Apache-2.0
#include "base/process.h"

#include <sys/syscall.h>

#include <cstdlib>

#include "base/file.h"
#include "base/text.h"

namespace agentctl {

Result<ProcessStat> read_process_stat(pid_t pid) {
  const std::string text = AGENTCTL_TRY(read_file(cat("/proc/", pid, "/stat")));
  // The name stands in parentheses and may itself hold spaces and parentheses, so fields count from the last one.
  const std::size_t close = text.rfind(')');
  if (close == std::string::npos || close + 2 >= text.size()) {
    return make_error(ErrorKind::internal, cat("cannot understand '/proc/", pid, "/stat'"));
  }
  const std::vector<std::string> fields = split(std::string_view(text).substr(close + 2), ' ');
  if (fields.size() < 20) return make_error(ErrorKind::internal, cat("cannot understand '/proc/", pid, "/stat'"));
  ProcessStat stat;
  stat.pid = pid;
  stat.state = fields[0].empty() ? '?' : fields[0][0];
  stat.ppid = static_cast<pid_t>(std::strtol(fields[1].c_str(), nullptr, 10));
  stat.pgrp = static_cast<pid_t>(std::strtol(fields[2].c_str(), nullptr, 10));
  stat.start_time = std::strtoull(fields[19].c_str(), nullptr, 10);
  return stat;
}

Result<ProcessIdentity> identify_process(pid_t pid) {
  const ProcessStat stat = AGENTCTL_TRY(read_process_stat(pid));
  return ProcessIdentity{pid, stat.start_time};
}

bool is_alive(const ProcessIdentity& process) {
  if (process.pid <= 0) return false;
  const auto stat = read_process_stat(process.pid);
  return stat && stat->start_time == process.start_time && stat->state != 'Z' && stat->state != 'X';
}

Result<std::string> boot_id() {
  const std::string text = AGENTCTL_TRY(read_file("/proc/sys/kernel/random/boot_id"));
  return std::string(trim(text));
}

Result<UniqueFd> open_pidfd(pid_t pid) {
  const long fd = ::syscall(SYS_pidfd_open, pid, 0);
  // A reaped process whose number is still that of a process group or of a session: as gone as any other.
  if (fd < 0 && errno == EINVAL && pid > 0) errno = ESRCH;
  if (fd < 0) return errno_error(cat("cannot open a pidfd of process ", pid));
  return UniqueFd(static_cast<int>(fd));  // close-on-exec by definition
}

Result<void> signal_pidfd(int pidfd, int signal) {
  if (::syscall(SYS_pidfd_send_signal, pidfd, signal, nullptr, 0) != 0) return errno_error("cannot signal a process");
  return {};
}

}  // namespace agentctl
