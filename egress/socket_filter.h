// SPDX-License-Identifier: Apache-2.0
// The seccomp filter of a process that does nothing but speak over sockets (the door's, the publisher's): a list of
// what it may do: that, keep its memory, write a file that it has open. It can open none, run nothing, start nothing,
// and makes sockets of the internet and of the kernel's routing alone. Everything else is answered with EPERM. What it
// does not protect against: whoever took the process over could connect to whatever the host can. Sources: seccomp(2),
// Documentation/userspace-api/seccomp_filter.rst.
#pragma once

#include <linux/filter.h>

#include <vector>

#include "base/result.h"

namespace agentctl::egress {

[[nodiscard]] std::vector<sock_filter> socket_filter();  // pure
// For this process, for good. Needs PR_SET_NO_NEW_PRIVS.
[[nodiscard]] Result<void> install_socket_filter();

}  // namespace agentctl::egress
