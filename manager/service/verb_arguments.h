// SPDX-License-Identifier: Apache-2.0
// The command lines of agentctl's own verbs that method calls stand for. Options are a whitelist: an unknown key, a
// value of another type, an empty text or a key given twice is refused by its name, and no value can pass for an
// option. What the values mean is the verb's to judge, by the same rules and in the same words as on a command line.
// Pure.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "manager/service/option_value.h"

namespace agentctl::manager::service {

struct StartArguments {
  std::string project;  // an absolute path: where the verb is run
  std::vector<std::string> words;
};

// Start(a{sv}): `project` (s), `command` (as), and the long options of `agentctl start` without their dashes:
// "profile", "memory-max", … (s), "ro", "hide", … (as), "no-limits" (b). Errors are of kind usage.
[[nodiscard]] Result<StartArguments> start_arguments(const Options& options);

// Stop(a{sv}): "grace" (s) or "kill" (b).
[[nodiscard]] Result<std::vector<std::string>> stop_arguments(const std::string& id, const Options& options);

// SetLimits(a{sv}): limits (s), and "force" (b).
[[nodiscard]] Result<std::vector<std::string>> set_arguments(const std::string& id, const Options& options);

}  // namespace agentctl::manager::service
