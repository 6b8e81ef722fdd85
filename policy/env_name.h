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

// TOKEN, KEY, SECRET, PASSWORD and their like somewhere in the name, in whatever case.
[[nodiscard]] bool is_secret_name(std::string_view name);

// What a pattern never carries, so that it must be named in full: secrets by their names, what points at a socket or a
// login (SSH_*, DOCKER_*, DBUS_*, KUBECONFIG …), and what makes a program run or load something (GIT_*, NODE_OPTIONS,
// BASH_ENV …).
[[nodiscard]] bool needs_full_name(std::string_view name);

}  // namespace agentctl::policy
