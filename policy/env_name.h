// SPDX-License-Identifier: Apache-2.0
// Names of environment variables in [env]: which may be written, which match, which never enter a sandbox. Pure.
#pragma once

#include <string_view>

namespace agentctl::policy {

[[nodiscard]] bool is_env_name(std::string_view name);  // [A-Za-z_][A-Za-z0-9_]*

// "TERM" matches itself; "LC_*" matches every name with that beginning.
[[nodiscard]] bool matches_env_name(std::string_view pattern, std::string_view name);

// LD_* and GLIBC_TUNABLES (ld.so(8)): bwrap is started with the session's environment, so the dynamic linker would act
// on them outside of the sandbox. Neither `pass`, also by a prefix, nor `set` may carry them.
[[nodiscard]] bool is_loader_variable(std::string_view name);

}  // namespace agentctl::policy
