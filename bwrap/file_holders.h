// SPDX-License-Identifier: Apache-2.0
// Whether processes can still write what is mounted read-only by now: who has opened a file before the mount was there
// keeps the way by which it was opened. Every descriptor counts, also one that only reads or not even that (O_PATH),
// since /proc/self/fd opens it anew; so do working and root directories and the program that runs. One that leads
// through a read-only mount does not count. Look while the processes stand still. Descriptors on their way through a
// socket, of which only the number is known, may be any. Not seen is what processes beyond the given ones hold for
// them, and, on kernels that do not count it, what waits in a socket: file_lease.h finds all of that but O_PATH.
// Sources: proc(5) (fd, fdinfo: scm_fds), unix(7), kcmp(2), pidfd_getfd(2).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "bwrap/file_identity.h"

namespace agentctl::bwrap {

struct ProtectedPlace {
  std::string path;  // as its holders' mount namespace names it
  FileIdentity identity;
  bool is_directory = false;  // then all that is in it, too
};

// An Error of kind environment says what is held, or that nobody can tell by `deadline_usec` (of monotonic_usec()).
[[nodiscard]] Result<void> prove_not_held(const std::vector<ProtectedPlace>& places, const std::vector<pid_t>& pids,
                                          std::uint64_t deadline_usec);

// Those that we may look at and whose mounts are those of an open /proc/PID/ns/mnt.
[[nodiscard]] std::vector<pid_t> find_processes_in(int mount_namespace);

// As prove_not_held(), of shared mappings, which last when their descriptor is closed.
[[nodiscard]] Result<void> prove_not_mapped(const ProtectedPlace& place, const std::vector<pid_t>& pids);

// Whether a line of /proc/PID/maps is of a shared mapping of that file. Pure.
[[nodiscard]] bool is_shared_mapping(std::string_view line, const ProtectedPlace& place);
// Descriptors that wait in a socket, from its /proc/PID/fdinfo. Pure.
[[nodiscard]] bool has_waiting_descriptors(std::string_view fdinfo);

}  // namespace agentctl::bwrap
