// SPDX-License-Identifier: Apache-2.0
// The seccomp programs, two for every session, as bytes ready for bwrap's --add-seccomp-fd (struct sock_filter[],
// native byte order). They are computed at build time by seccomp_compiler.cpp (libseccomp), so that a start costs
// nothing.
//   guard: a foreign ABI or a system call number above the highest reviewed one -> ENOSYS
//   deny:  the list with a reason each in seccomp_rules.h; violations get an errno, never a kill. The nested one leaves
//          namespaces and mounts to the session, for programs that bring a sandbox of their own
// They reduce the kernel's surface; they are no wall against a fault in a call that stays allowed.
#pragma once

#include <string_view>

namespace agentctl::bwrap {

[[nodiscard]] std::string_view guard_filter();
[[nodiscard]] std::string_view deny_filter();
[[nodiscard]] std::string_view nested_deny_filter();

}  // namespace agentctl::bwrap
