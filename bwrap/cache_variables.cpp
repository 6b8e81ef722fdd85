// SPDX-License-Identifier: Apache-2.0
#include "bwrap/cache_variables.h"

#include <utility>

#include "base/text.h"

namespace agentctl::bwrap {
namespace {

constexpr std::pair<const char*, const char*> kPlaces[] = {
    {"BUN_INSTALL_CACHE_DIR", "bun"}, {"CARGO_HOME", "cargo"},          {"GOCACHE", "go-build"},
    {"GOMODCACHE", "go-mod"},         {"PIP_CACHE_DIR", "pip"},         {"UV_CACHE_DIR", "uv"},
    {"npm_config_cache", "npm"},      {"npm_config_store_dir", "pnpm"},
};

// A hard link does not reach from one mount into another; these tools then warn, or fail.
constexpr const char* kCopying[] = {"UV_LINK_MODE", "npm_config_package_import_method"};

}  // namespace

void add_cache_variables(const std::string& cache, std::map<std::string, std::string>& variables) {
  variables.try_emplace("XDG_CACHE_HOME", cache);
  for (const auto& [name, place] : kPlaces) variables.try_emplace(name, cat(cache, "/", place));
  for (const char* name : kCopying) variables.try_emplace(name, "copy");
}

}  // namespace agentctl::bwrap
