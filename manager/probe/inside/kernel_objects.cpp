// SPDX-License-Identifier: Apache-2.0
// Attempts on what the kernel keeps beside files and processes: keys, shared memory, queues, and on what this process
// was born with: descriptors, a directory, privileges.
#include <dirent.h>
#include <fcntl.h>
#include <linux/keyctl.h>
#include <mqueue.h>
#include <sys/ipc.h>
#include <sys/klog.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

#include "manager/probe/inside/attempt.h"

namespace agentctl::probe {
namespace {

constexpr int kSessionKeyring = -3;  // KEY_SPEC_SESSION_KEYRING

void tell_secret(Outcome& outcome, const char* text, std::size_t length) {
  char found[200] = "";
  if (find_secrets(text, length, found, sizeof found) == 0) return blocked(outcome, "holds something else");
  open_wall(outcome, "%s", found);
}

void key_read(Outcome& outcome) {
  if (!is_told("key")) return skip(outcome, "no key could be made");
  const long key = ::syscall(SYS_keyctl, KEYCTL_SEARCH, kSessionKeyring, "user", told("key"), 0);
  if (key < 0) return by_success(outcome, -1);
  char text[128] = "";
  const long length = ::syscall(SYS_keyctl, KEYCTL_READ, key, text, sizeof text - 1, 0);
  if (length < 0) return by_success(outcome, -1);
  tell_secret(outcome, text, sizeof text);
}

void key_plant(Outcome& outcome) {
  if (!is_told("key")) return skip(outcome, "no key could be made");
  char name[96];
  std::snprintf(name, sizeof name, "%s-planted", told("key"));
  by_success(outcome, ::syscall(SYS_add_key, "user", name, "Z", std::size_t{1}, kSessionKeyring));
}

void key_list(Outcome& outcome) {
  if (!is_told("key")) return skip(outcome, "no key could be made");
  char text[32768];
  const long length = read_file(AT_FDCWD, "/proc/keys", text, sizeof text);
  if (length < 0) return by_success(outcome, -1);
  if (std::strstr(text, told("key")) == nullptr) return blocked(outcome, "not among %ld bytes", length);
  open_wall(outcome, "listed in /proc/keys");
}

void sysv_memory(Outcome& outcome) {
  if (!is_told("sysv-memory")) return skip(outcome, "no segment could be made");
  const int segment = ::shmget(static_cast<key_t>(told_number("sysv-memory")), 0, 0);
  if (segment < 0) return by_success(outcome, -1);
  const void* const memory = ::shmat(segment, nullptr, SHM_RDONLY);
  if (memory == reinterpret_cast<void*>(-1)) return by_success(outcome, -1);
  tell_secret(outcome, static_cast<const char*>(memory), 64);
}

void sysv_queue(Outcome& outcome) {
  if (!is_told("sysv-queue")) return skip(outcome, "no queue could be made");
  const int queue = ::msgget(static_cast<key_t>(told_number("sysv-queue")), 0);
  if (queue < 0) return by_success(outcome, -1);
  struct {
    long type = 1;
    char text[1] = {'Z'};
  } message;
  by_success(outcome, ::msgsnd(queue, &message, sizeof message.text, IPC_NOWAIT));
}

void posix_memory(Outcome& outcome) {
  if (!is_told("posix-memory")) return skip(outcome, "no shared memory could be made");
  const int fd = ::shm_open(told("posix-memory"), O_RDONLY | O_CLOEXEC, 0);
  if (fd < 0) return by_success(outcome, -1);
  char text[64] = "";
  if (::read(fd, text, sizeof text - 1) < 0) return by_success(outcome, -1);
  tell_secret(outcome, text, sizeof text);
}

void posix_queue(Outcome& outcome) {
  if (!is_told("posix-queue")) return skip(outcome, "no queue could be made");
  const mqd_t queue = ::mq_open(told("posix-queue"), O_WRONLY | O_CLOEXEC | O_NONBLOCK);
  if (queue == static_cast<mqd_t>(-1)) return by_success(outcome, -1);
  by_success(outcome, ::mq_send(queue, "Z", 1, 0));
}

// Calls visit(fd) for each descriptor but the standard streams and the one that lists them.
template <typename Visit>
void for_each_descriptor(Visit visit) {
  DIR* const stream = ::opendir("/proc/self/fd");
  if (stream == nullptr) return;
  while (const dirent* entry = ::readdir(stream)) {
    const int fd = std::atoi(entry->d_name);
    if (fd > 2 && fd != ::dirfd(stream)) visit(fd);
  }
  ::closedir(stream);
}

void descriptors(Outcome& outcome) {
  int count = 0;
  char first[160] = "";
  for_each_descriptor([&](int fd) {
    char path[64];
    if (++count > 1) return;
    std::snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (::readlink(path, first, sizeof first - 1) < 0) first[0] = 0;
  });
  if (count == 0) return blocked(outcome, "none but the standard streams");
  open_wall(outcome, "%d: %s", count, first);
}

void descriptor_read(Outcome& outcome) {
  bool was_read = false;
  for_each_descriptor([&](int fd) {
    if (was_read) return;
    Outcome one{};
    read_secret(one, fd, "secret");
    if (one.finding != Finding::open) return;
    was_read = true;
    outcome = one;
  });
  if (!was_read) blocked(outcome, "no directory is open");
}

void descriptor_write(Outcome& outcome) {
  bool was_written = false;
  for_each_descriptor([&](int fd) {
    const int made = ::openat(fd, "made-by-descriptor", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    was_written = was_written || made >= 0;
    if (made >= 0) ::close(made);
  });
  if (!was_written) return blocked(outcome, "no directory is open");
  open_wall(outcome, "made a file");
}

void directory(Outcome& outcome) { read_secret(outcome, AT_FDCWD, "secret"); }

void core_dump(Outcome& outcome) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_CORE, &limit) != 0) return by_success(outcome, -1);
  if (limit.rlim_max == 0) return blocked(outcome, "limit 0");
  open_wall(outcome, "allowed");
}

void new_privileges(Outcome& outcome) {
  if (::prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1) return blocked(outcome, "no_new_privs");
  open_wall(outcome, "set-user-ID programs work");
}

void capabilities(Outcome& outcome) {
  char text[4096];
  if (read_file(AT_FDCWD, "/proc/self/status", text, sizeof text) < 0) return by_success(outcome, -1);
  for (const char* set : {"\nCapPrm:", "\nCapEff:", "\nCapBnd:", "\nCapAmb:", "\nCapInh:"}) {
    const char* at = std::strstr(text, set);
    if (at == nullptr || std::strtoull(at + 8, nullptr, 16) != 0)
      return open_wall(outcome, "%.6s is not empty", set + 1);
  }
  blocked(outcome, "every set is empty");
}

void kernel_log(Outcome& outcome) {
  constexpr int kSizeBuffer = 10;  // SYSLOG_ACTION_SIZE_BUFFER
  by_filter(outcome, ::klogctl(kSizeBuffer, nullptr, 0));
}

void machine_id(Outcome& outcome) {
  char text[64];
  if (read_file(AT_FDCWD, "/etc/machine-id", text, sizeof text) < 0) return by_success(outcome, -1);
  open_wall(outcome, "%.32s", text);
}

void cgroup_files(Outcome& outcome) {
  char text[4096];
  if (read_file(AT_FDCWD, "/proc/self/cgroup", text, sizeof text) < 0) return by_success(outcome, -1);
  for (const char* root : {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"}) {
    const char* own = std::strstr(text, "0::");
    char path[512] = "/";
    if (own != nullptr)
      std::snprintf(path, sizeof path, "%.*s", static_cast<int>(std::strcspn(own + 3, "\n")), own + 3);
    for (const char* place : {static_cast<const char*>(path), "/"}) {
      char file[640];
      std::snprintf(file, sizeof file, "%s%s/cgroup.procs", root, place);
      const int fd = ::open(file, O_WRONLY | O_CLOEXEC);
      if (fd >= 0) return open_wall(outcome, "%.200s", file);
    }
  }
  blocked(outcome, "none can be opened");
}

constexpr Attempt kAttempts[] = {
    {"key-read", key_read},
    {"key-plant", key_plant},
    {"key-list", key_list},
    {"sysv-memory", sysv_memory},
    {"sysv-queue", sysv_queue},
    {"posix-memory", posix_memory},
    {"posix-queue", posix_queue},
    {"descriptors", descriptors},
    {"descriptor-read", descriptor_read},
    {"descriptor-write", descriptor_write},
    {"working-directory", directory},
    {"core-dump", core_dump},
    {"new-privileges", new_privileges},
    {"capabilities", capabilities},
    {"kernel-log", kernel_log},
    {"machine-id", machine_id},
    {"cgroup-files", cgroup_files},
};

}  // namespace

AttemptList kernel_object_attempts() { return {kAttempts, sizeof kAttempts / sizeof kAttempts[0]}; }

}  // namespace agentctl::probe
