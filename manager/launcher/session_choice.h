// SPDX-License-Identifier: Apache-2.0
// What the user wants to start: a project and a profile, each asked for only where it is neither given nor the only
// one.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "manager/cli.h"
#include "manager/launcher/front.h"

namespace agentctl::launcher {

struct SessionChoice {
  std::string project;  // absolute
  std::string profile;
};

// `front` can ask. Nothing: the user has closed a question.
[[nodiscard]] Result<std::optional<SessionChoice>> choose_session(const manager::LaunchOptions& options,
                                                                  const Front& front);

// As typed or chosen by the user ("~/x", "x", "/x"): absolute, and a directory that answers.
[[nodiscard]] Result<std::string> find_directory(const std::string& named);

}  // namespace agentctl::launcher
