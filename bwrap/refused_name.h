// SPDX-License-Identifier: Apache-2.0
// A name that nothing may get during a session: `commondir` in a repository that has none. Who makes that file leads
// git on the host to a configuration of his own, and so to programs of his own, and there is nothing yet that could be
// protected. What comes to stand there is renamed, outside of the sandbox. Between the two git can have read it.
// Source: gitrepository-layout(5).
#pragma once

#include <string>

#include "base/result.h"

namespace agentctl::bwrap {

inline constexpr const char* kSetAside = ".refused";  // appended to the name

// Whether something stood at `path` and was renamed. No link on the way is followed; what is not reached stays.
[[nodiscard]] Result<bool> set_aside(const std::string& path);

}  // namespace agentctl::bwrap
