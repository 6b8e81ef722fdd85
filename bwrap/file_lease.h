// SPDX-License-Identifier: Apache-2.0
// Whether somebody has a file open, wherever: the kernel grants a write lease only on a file that nobody else has open,
// be it by a descriptor that is on its way through a socket or by a mapping alone. It does not count O_PATH, and does
// not tell who. Given back at once: somebody who opens the file meanwhile waits no longer than that.
// Source: fcntl(2) (F_SETLEASE).
#pragma once

#include "base/unique_fd.h"

namespace agentctl::bwrap {

enum class Openers {
  none,
  some,
  unknown,  // a file system without leases, or the file of somebody else
};

// Of the regular file that `place` (O_PATH) shows.
[[nodiscard]] Openers find_openers(const UniqueFd& place);

}  // namespace agentctl::bwrap
