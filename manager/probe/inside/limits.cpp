// SPDX-License-Identifier: Apache-2.0
// Attempts to use up what the machine has: processes, memory, memory disguised as files. The host half tells how much
// is enough to be through a limit, or nothing where that would take too long or too much.
#include <fcntl.h>
#include <linux/magic.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

#include "manager/probe/inside/attempt.h"

namespace agentctl::probe {
namespace {

constexpr long kMostTasks = 6000;

// Threads cost less than processes and count the same. Each does nothing on a page of its own until all end together.
int wait_forever(void*) {
  while (true) ::syscall(SYS_ppoll, nullptr, 0, nullptr, nullptr, 0);
}

void tasks(Outcome& outcome) {
  const long wanted = told_number("tasks");
  if (wanted <= 0 || wanted > kMostTasks)
    return skip(outcome, "not tried: no limit, a high one, or a session that works");
  constexpr std::size_t kStack = 4096;
  constexpr int kThread = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM;
  void* const stacks = ::mmap(nullptr, kStack * static_cast<std::size_t>(wanted), PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (stacks == MAP_FAILED) return skip(outcome, "no memory for the stacks");
  for (long made = 0; made < wanted; ++made) {
    char* const top = static_cast<char*>(stacks) + kStack * static_cast<std::size_t>(made + 1);
    if (::clone(wait_forever, top, kThread, nullptr) >= 0) continue;
    return blocked(outcome, "%s after %ld", ::strerrorname_np(errno), made);
  }
  open_wall(outcome, "%ld tasks", wanted);
}

int end_at_once(void*) { return 0; }

// Nobody waits for them, so each keeps its number; at last they are waited for, wherever this runs.
void zombies(Outcome& outcome) {
  const long wanted = told_number("tasks");
  if (wanted <= 0 || wanted > kMostTasks)
    return skip(outcome, "not tried: no limit, a high one, or a session that works");
  constexpr std::size_t kStack = 4096;
  void* const stacks = ::mmap(nullptr, kStack * static_cast<std::size_t>(wanted), PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (stacks == MAP_FAILED) return skip(outcome, "no memory for the stacks");
  open_wall(outcome, "%ld dead processes", wanted);
  for (long made = 0; made < wanted; ++made) {
    char* const top = static_cast<char*>(stacks) + kStack * static_cast<std::size_t>(made + 1);
    if (::clone(end_at_once, top, CLONE_VM | SIGCHLD, nullptr) >= 0) continue;
    blocked(outcome, "%s after %ld", ::strerrorname_np(errno), made);
    break;
  }
  while (::waitpid(-1, nullptr, 0) > 0) {
  }
}

void memory_limit(Outcome& outcome) {
  const long wanted = told_number("memory");
  if (wanted <= 0) return skip(outcome, "not tried: no limit, a high one, or a session that works");
  const pid_t child = ::fork();
  if (child == 0) {
    void* const block = ::mmap(nullptr, static_cast<std::size_t>(wanted), PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_POPULATE, -1, 0);
    ::_exit(block == MAP_FAILED ? 1 : 0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) return blocked(outcome, "killed, and nothing else");
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return blocked(outcome, "refused");
  open_wall(outcome, "%ld MiB", wanted >> 20);
}

// A tmpfs that nobody has given a size takes half of the memory.
void tmpfs_size(Outcome& outcome) {
  struct sysinfo machine {};
  ::sysinfo(&machine);
  const auto half = static_cast<std::uint64_t>(machine.totalram) * machine.mem_unit / 2;
  char reached[160] = "";
  for (const char* place : {"/tmp", "/var/tmp", "/dev/shm", "/dev", "/run", "/", told("runtime"), told("home")}) {
    struct statfs status {};
    if (*place == 0 || ::statfs(place, &status) != 0 || status.f_type != TMPFS_MAGIC) continue;
    if ((status.f_flags & ST_RDONLY) != 0) continue;
    const auto size = static_cast<std::uint64_t>(status.f_blocks) * static_cast<std::uint64_t>(status.f_bsize);
    const std::uint64_t difference = size > half ? size - half : half - size;
    if (difference > half / 50) continue;
    add_word(reached, sizeof reached, place);
  }
  if (reached[0] == 0) return blocked(outcome, "none of half the memory");
  open_wall(outcome, "%s", reached);
}

constexpr Attempt kAttempts[] = {
    {"tasks", tasks}, {"zombies", zombies}, {"memory-limit", memory_limit}, {"tmpfs-size", tmpfs_size}};

}  // namespace

AttemptList limit_attempts() { return {kAttempts, sizeof kAttempts / sizeof kAttempts[0]}; }

}  // namespace agentctl::probe
