// SPDX-License-Identifier: Apache-2.0
// What a network namespace closes and a shared one does not: sockets by an abstract name. Landlock forbids the calling
// process, and all that it starts from then on, to connect or send to those that were bound outside of it; what the
// inside binds itself works as ever. Signals to processes outside can be forbidden, too: the second wall after the pid
// namespace. Needs no_new_privs. It cannot be undone or joined: who is restricted separately, as a program that enters
// a running session is, counts as outside, and Landlock lets nobody trace a process outside. Sockets by a path are not
// concerned.
// Async-signal-safe, and header-only: the stage links no library. Source: landlock(7), Linux 6.12 (ABI 6).
#pragma once

#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

namespace agentctl::bwrap {

inline constexpr long kLandlockScopesAbi = 6;

// False also where Landlock is not among the security modules that the kernel was booted with.
inline bool has_landlock_scopes() {
  constexpr unsigned kVersion = 1;  // LANDLOCK_CREATE_RULESET_VERSION
  return ::syscall(SYS_landlock_create_ruleset, nullptr, 0, kVersion) >= kLandlockScopesAbi;
}

inline constexpr std::uint64_t kScopeAbstractSockets = 1U << 0;  // LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET
inline constexpr std::uint64_t kScopeSignals = 1U << 1;          // LANDLOCK_SCOPE_SIGNAL

// False with errno.
inline bool close_landlock_scopes(std::uint64_t scopes) {
  // struct landlock_ruleset_attr, as of that ABI; headers may be older.
  struct {
    std::uint64_t handled_access_fs;
    std::uint64_t handled_access_net;
    std::uint64_t scoped;
  } ruleset{0, 0, scopes};
  const long fd = ::syscall(SYS_landlock_create_ruleset, &ruleset, sizeof ruleset, 0);
  if (fd < 0) return false;
  const long restricted = ::syscall(SYS_landlock_restrict_self, fd, 0);
  ::syscall(SYS_close, fd);
  return restricted == 0;
}

}  // namespace agentctl::bwrap
