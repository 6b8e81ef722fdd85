// SPDX-License-Identifier: Apache-2.0
// Canaries that are files: outside of the project, in the home, in /tmp, and places in which none must be made.
#pragma once

#include <string>

#include "base/result.h"
#include "manager/probe/canary.h"

namespace agentctl::probe {

// `directory` is the probe's own: a secret, a file to be written, names to be made.
[[nodiscard]] Result<std::unique_ptr<Canary>> plant_outside(const std::string& directory);

// A secret in a file of its own, at a path that is free. `item` is also the key by which the inside half is told.
[[nodiscard]] Result<std::unique_ptr<Canary>> plant_secret_file(std::string item, const std::string& path);

// A name in a directory of the user's that must stay free; what is made there all the same is removed.
[[nodiscard]] std::unique_ptr<Canary> watch_free_name(std::string item, std::string path);

// Whole content at once; the file is made, or emptied first.
[[nodiscard]] Result<void> write_file(const std::string& path, std::string_view content, unsigned mode);

}  // namespace agentctl::probe
