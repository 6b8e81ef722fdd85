// SPDX-License-Identifier: Apache-2.0
// Variables whose values are paths: certificates, terminal descriptions, locales. They are of use only where the
// session sees what they name. A file that holds certificates and nothing else is shown; of the rest nothing is made
// visible by a variable.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "bwrap/host_facts.h"
#include "bwrap/layout.h"
#include "bwrap/path_resolution.h"
#include "policy/policy.h"

namespace agentctl::bwrap {

using ShownPaths = std::function<bool(const std::string& path)>;

// Every absolute path that such a variable of `environment` names. Pure.
[[nodiscard]] std::vector<std::string> environment_paths(const std::map<std::string, std::string>& environment);
// `value` without the paths that are not shown; nothing when none is left. Other variables stay as they are. Pure.
[[nodiscard]] std::optional<std::string> keep_shown_paths(const std::string& name, const std::string& value,
                                                          const ShownPaths& is_shown);

// PEM (RFC 7468) with certificates and no private key. Pure.
[[nodiscard]] bool holds_only_certificates(std::string_view text);
// Of a file, which is read; false for what is no file, or too large to be a bundle.
[[nodiscard]] bool is_certificate_file(const std::string& path);
// Of the files that variables for certificates name, those of which that is true. Reads them.
[[nodiscard]] std::set<std::string> find_certificate_files(const std::map<std::string, std::string>& environment,
                                                           PathResolver& resolver);
// Shows them, read-only, as far as `env` passes the variable. Pure.
void add_certificates(const policy::EnvSettings& env, const HostFacts& facts, Layout& layout);

}  // namespace agentctl::bwrap
