// SPDX-License-Identifier: Apache-2.0
// Attempts to make namespaces and mounts. Whoever makes a user namespace has every capability in it, and with them
// reaches parts of the kernel that were not written for strangers.
#include <fcntl.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "manager/probe/inside/attempt.h"

namespace agentctl::probe {
namespace {

constexpr const char* kNowhere = "/agentctl-probe/no-such-directory";
// The same on every architecture.
constexpr long kOpenTree = 428, kMoveMount = 429, kFsopen = 430, kFsconfig = 431, kFsmount = 432, kFspick = 433,
               kMountSetattr = 442, kOpenTreeAttr = 467;

void unshare_user(Outcome& outcome) { by_success(outcome, ::unshare(CLONE_NEWUSER)); }

void end_child(long child) {
  if (child == 0) ::_exit(0);
  if (child > 0) ::waitpid(static_cast<pid_t>(child), nullptr, 0);
}

void clone_user(Outcome& outcome) {
  const long child = ::syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, nullptr, nullptr, nullptr, nullptr);
  if (child == 0) ::_exit(0);
  by_success(outcome, child);
  end_child(child);
}

void clone3_user(Outcome& outcome) {
  clone_args arguments{};
  arguments.flags = CLONE_NEWUSER;
  arguments.exit_signal = SIGCHLD;
  const long child = ::syscall(SYS_clone3, &arguments, sizeof arguments);
  if (child == 0) ::_exit(0);
  by_success(outcome, child);
  end_child(child);
}

// The number of user namespaces that may be made is per namespace: who can raise it gets one.
void raise_user_limit(Outcome& outcome) {
  by_success(outcome, ::open("/proc/sys/user/max_user_namespaces", O_WRONLY | O_CLOEXEC));
}

void nested_mount(Outcome& outcome) {
  if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return by_success(outcome, -1);
  by_success(outcome, ::mount("none", "/tmp", "tmpfs", 0, nullptr));
}

void join(Outcome& outcome) { by_filter(outcome, ::syscall(SYS_setns, -1, 0)); }
void mount_old(Outcome& outcome) { by_filter(outcome, ::mount("none", kNowhere, "tmpfs", 0, nullptr)); }
void unmount(Outcome& outcome) { by_filter(outcome, ::umount2(kNowhere, 0)); }
void new_root(Outcome& outcome) { by_filter(outcome, ::syscall(SYS_pivot_root, kNowhere, kNowhere)); }
void change_root(Outcome& outcome) { by_filter(outcome, ::chroot(kNowhere)); }
void open_tree(Outcome& outcome) { by_filter(outcome, ::syscall(kOpenTree, AT_FDCWD, "/", O_CLOEXEC)); }
void move_mount(Outcome& outcome) { by_filter(outcome, ::syscall(kMoveMount, -1, "", -1, "", ~0U)); }
void fsopen(Outcome& outcome) { by_filter(outcome, ::syscall(kFsopen, "no-such-type", 0)); }
void fsconfig(Outcome& outcome) { by_filter(outcome, ::syscall(kFsconfig, -1, ~0U, nullptr, nullptr, 0)); }
void fsmount(Outcome& outcome) { by_filter(outcome, ::syscall(kFsmount, -1, ~0U, 0)); }
void fspick(Outcome& outcome) { by_filter(outcome, ::syscall(kFspick, -1, kNowhere, 0)); }
void mount_setattr(Outcome& outcome) { by_filter(outcome, ::syscall(kMountSetattr, -1, "", 0, nullptr, 0)); }
void open_tree_attr(Outcome& outcome) {
  by_filter(outcome, ::syscall(kOpenTreeAttr, AT_FDCWD, "/", O_CLOEXEC, nullptr, 0));
}

// A mount of the host's that comes later arrives in every mount that is a slave or shared, and is writable there.
void propagation(Outcome& outcome) {
  static char table[256 * 1024];
  if (read_file(AT_FDCWD, "/proc/self/mountinfo", table, sizeof table) < 0) return by_success(outcome, -1);
  const char* from = std::strstr(table, " master:");
  const char* to = std::strstr(table, " shared:");
  if (from == nullptr && to == nullptr) return blocked(outcome, "every mount is private");
  open_wall(outcome, from != nullptr ? "takes the host's later mounts" : "gives and takes mounts");
}

constexpr Attempt kAttempts[] = {
    {"unshare-user", unshare_user},
    {"clone-user", clone_user},
    {"clone3-user", clone3_user},
    {"user-limit", raise_user_limit},
    {"nested-mount", nested_mount},
    {"setns", join},
    {"mount", mount_old},
    {"umount", unmount},
    {"pivot-root", new_root},
    {"chroot", change_root},
    {"open-tree", open_tree},
    {"move-mount", move_mount},
    {"fsopen", fsopen},
    {"fsconfig", fsconfig},
    {"fsmount", fsmount},
    {"fspick", fspick},
    {"mount-setattr", mount_setattr},
    {"open-tree-attr", open_tree_attr},
    {"propagation", propagation},
};

}  // namespace

AttemptList namespace_attempts() { return {kAttempts, sizeof kAttempts / sizeof kAttempts[0]}; }

}  // namespace agentctl::probe
