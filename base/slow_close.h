// SPDX-License-Identifier: Apache-2.0
// Closing what the kernel takes its time to close: the last close(2) of an inotify instance waits until nothing in the
// kernel looks at its watches any longer (fs/notify/group.c), five to fifteen milliseconds, and an exit waits with it;
// that of a mount namespace takes its mounts down (fs/namespace.c).
#pragma once

#include "base/unique_fd.h"

namespace agentctl {

// The kernel closes it by itself, if it lets us have an io_uring: a file that is registered with one belongs to it, and
// a ring is taken down after its own close(2) has returned (io_uring_register(2), IORING_REGISTER_FILES). Else, and
// when somebody else holds the file too, this is an ordinary close.
void close_without_waiting(UniqueFd fd);

}  // namespace agentctl
