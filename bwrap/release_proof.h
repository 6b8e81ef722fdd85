// SPDX-License-Identifier: Apache-2.0
// The proof that a session has let go of what was put back over its files. A mount covers a name: whoever watches a
// directory can open a file before the host gives it the protected name, or give it a second name, and write it
// afterwards by these. Nobody can take an open file away, but it can be found: file_holders.h looks at what the
// processes have, file_lease.h asks the kernel for the rest.
#pragma once

#include <sys/types.h>

#include <vector>

#include "base/result.h"
#include "bwrap/guarded_mount.h"

namespace agentctl::bwrap {

// Whether the host's file must not be written by the session: it is read-only there, or a copy stands for it.
[[nodiscard]] constexpr bool keeps_from_writing(Guard guard) {
  return guard == Guard::read_only || guard == Guard::copy;
}

// For those among `mounts`, all of which stand; what they cover is looked at on the host, where it stands at the same
// path. `pids` are the session's, and stand still. An Error of kind environment says what is held: a file that the host
// itself has open for longer than half a second, too, where the file system has leases. Takes two and a half seconds at
// most.
[[nodiscard]] Result<void> prove_released(const std::vector<GuardedMount>& mounts, const std::vector<pid_t>& pids);

}  // namespace agentctl::bwrap
