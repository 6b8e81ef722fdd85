// SPDX-License-Identifier: Apache-2.0
// Attempts on processes of the host, by the number that the canary process has there, and on what /proc shows.
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

#include "manager/probe/inside/attempt.h"

namespace agentctl::probe {
namespace {

char buffer[256 * 1024];

// Calls visit(pid) for every process that can be seen, until it gives false.
template <typename Visit>
void for_each_process(Visit visit) {
  DIR* const stream = ::opendir("/proc");
  if (stream == nullptr) return;
  while (const dirent* entry = ::readdir(stream)) {
    const long pid = std::strtol(entry->d_name, nullptr, 10);
    if (pid > 0 && !visit(pid)) break;
  }
  ::closedir(stream);
}

// Its own process and the one that prints do not count: the host half has told them something.
void scan(Outcome& outcome, const char* file) {
  char found[200] = "";
  int processes = 0;
  for_each_process([&](long pid) {
    char path[64];
    std::snprintf(path, sizeof path, "/proc/%ld/%s", pid, file);
    const long length = read_file(AT_FDCWD, path, buffer, sizeof buffer);
    if (length <= 0) return true;
    ++processes;
    find_secrets(buffer, static_cast<std::size_t>(length), found, sizeof found);
    return true;
  });
  if (found[0] != 0) return open_wall(outcome, "%s", found);
  blocked(outcome, "not in any of %d processes", processes);
}

void arguments(Outcome& outcome) { scan(outcome, "cmdline"); }
void environments(Outcome& outcome) { scan(outcome, "environ"); }

// Options of bwrap; the canary has one, too.
void layout_arguments(Outcome& outcome) {
  long found = 0;
  int processes = 0;
  for_each_process([&](long pid) {
    char path[64];
    std::snprintf(path, sizeof path, "/proc/%ld/cmdline", pid);
    const long length = read_file(AT_FDCWD, path, buffer, sizeof buffer);
    if (length <= 0) return true;
    ++processes;
    for (const char* word = buffer; word < buffer + length; word += std::strlen(word) + 1) {
      for (const char* option : {"--ro-bind", "--bind", "--dev-bind", "--tmpfs", "--setenv"}) {
        if (std::strcmp(word, option) == 0) found = pid;
      }
    }
    return found == 0;
  });
  if (found == 0) return blocked(outcome, "not in any of %d processes", processes);
  open_wall(outcome, "process %ld", found);
}

bool has_canary(Outcome& outcome) {
  if (is_told("canary")) return true;
  skip(outcome, "no process was started for it");
  return false;
}

pid_t canary() { return static_cast<pid_t>(told_number("canary")); }

void trace(Outcome& outcome) {
  if (!has_canary(outcome)) return;
  by_success(outcome, ::ptrace(PTRACE_SEIZE, canary(), nullptr, nullptr));
  // This process ends, and with it the tracing: the canary does not stop.
}

void memory(Outcome& outcome) {
  if (!has_canary(outcome)) return;
  char text[64] = "";
  iovec here{text, sizeof text - 1};
  iovec there{reinterpret_cast<void*>(std::strtoul(told("canary-address"), nullptr, 16)), sizeof text - 1};
  const long count = ::process_vm_readv(canary(), &here, 1, &there, 1, 0);
  if (count < 0) return by_success(outcome, -1);
  open_wall(outcome, "%.40s", text);
}

void memory_file(Outcome& outcome) {
  if (!has_canary(outcome)) return;
  char path[64];
  char text[64] = "";
  std::snprintf(path, sizeof path, "/proc/%d/mem", canary());
  const int fd = ::open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return by_success(outcome, -1);
  const long count =
      ::pread(fd, text, sizeof text - 1, static_cast<off_t>(std::strtoul(told("canary-address"), nullptr, 16)));
  if (count < 0) return by_success(outcome, -1);
  open_wall(outcome, "%.40s", text);
}

int canary_pidfd() { return static_cast<int>(::syscall(SYS_pidfd_open, canary(), 0)); }

void descriptor(Outcome& outcome) {
  if (!has_canary(outcome)) return;
  const int pidfd = canary_pidfd();
  if (pidfd < 0) return by_success(outcome, -1);
  by_success(outcome, ::syscall(SYS_pidfd_getfd, pidfd, 0, 0));
}

void send_signal(Outcome& outcome) {
  if (!has_canary(outcome)) return;
  by_success(outcome, ::kill(canary(), SIGUSR1));
}

void limits(Outcome& outcome) {
  if (!has_canary(outcome)) return;
  rlimit limit{};
  by_success(outcome, ::prlimit(canary(), RLIMIT_NOFILE, nullptr, &limit));
}

void priority(Outcome& outcome) {
  if (!has_canary(outcome)) return;
  errno = 0;
  const int value = ::getpriority(PRIO_PROCESS, static_cast<id_t>(canary()));
  by_success(outcome, errno != 0 ? -1 : ::setpriority(PRIO_PROCESS, static_cast<id_t>(canary()), value));
}

// A process with fewer walls than this one could do for it what it may not do itself.
void weaker_process(Outcome& outcome) {
  long weaker = 0;
  int processes = 0;
  for_each_process([&](long pid) {
    char path[64];
    std::snprintf(path, sizeof path, "/proc/%ld/status", pid);
    if (read_file(AT_FDCWD, path, buffer, sizeof buffer) <= 0) return true;
    ++processes;
    const char* capabilities = std::strstr(buffer, "\nCapEff:");
    const char* no_new = std::strstr(buffer, "\nNoNewPrivs:");
    const char* mode = std::strstr(buffer, "\nSeccomp:");
    const bool has_walls = capabilities != nullptr && std::strtoull(capabilities + 8, nullptr, 16) == 0 &&
                           no_new != nullptr && std::atoi(no_new + 12) == 1 && mode != nullptr &&
                           std::atoi(mode + 9) == 2;
    if (has_walls) return true;
    weaker = pid;
    return false;
  });
  if (weaker == 0) return blocked(outcome, "each of %d processes has a filter and no capability", processes);
  open_wall(outcome, "process %ld", weaker);
}

// While a program runs its file is busy (this one's, too); who gets that answer would be let in afterwards. uid 0 is
// let in everywhere.
void program_file(Outcome& outcome) {
  if (::geteuid() == 0) return skip(outcome, "uid 0 may write every program that is not running");
  long writable = 0;
  for_each_process([&](long pid) {
    char path[64];
    if (pid == ::getpid() || pid == ::getppid()) return true;
    std::snprintf(path, sizeof path, "/proc/%ld/exe", pid);
    const int fd = ::open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0 && errno != ETXTBSY) return true;
    if (fd >= 0) ::close(fd);
    writable = pid;
    return false;
  });
  if (writable == 0) return blocked(outcome, "none");
  open_wall(outcome, "that of process %ld", writable);
}

constexpr Attempt kAttempts[] = {
    {"arguments", arguments},
    {"environments", environments},
    {"layout-arguments", layout_arguments},
    {"trace", trace},
    {"memory", memory},
    {"memory-file", memory_file},
    {"descriptor", descriptor},
    {"signal", send_signal},
    {"limits-of", limits},
    {"priority-of", priority},
    {"weaker-process", weaker_process},
    {"program-file", program_file},
};

}  // namespace

AttemptList process_attempts() { return {kAttempts, sizeof kAttempts / sizeof kAttempts[0]}; }

}  // namespace agentctl::probe
