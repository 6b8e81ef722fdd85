// SPDX-License-Identifier: Apache-2.0
// The variables that the probe's launcher has in its environment and no sandbox should have.
#pragma once

namespace agentctl::probe {

inline constexpr const char* kSecretVariable = "AGENTCTL_PROBE_API_TOKEN";
inline constexpr const char* kLocaleVariable = "LC_AGENTCTL_PROBE_TOKEN";  // policies pass LC_*

inline constexpr const char* kPlantedCode = "agentctl-probe";
inline constexpr const char* kCodeVariables[] = {"BASH_ENV",        "PYTHONSTARTUP",     "PERL5OPT",  "RUBYOPT",
                                                 "GIT_SSH_COMMAND", "GIT_EXTERNAL_DIFF", "NODE_PATH", "LESSOPEN"};

}  // namespace agentctl::probe
