// SPDX-License-Identifier: Apache-2.0
#include "bwrap/default_globs.h"

#include <algorithm>

namespace agentctl::bwrap {
namespace {

constexpr std::string_view kOfTools[] = {".git",    ".hg",         ".svn",          ".jj",           ".cache",
                                         ".direnv", ".gradle",     ".next",         ".nox",          ".nuxt",
                                         ".tox",    ".mypy_cache", ".pytest_cache", ".ruff_cache",   ".venv",
                                         ".yarn",   "Pods",        "_build",        "bazel-out",     "bower_components",
                                         "build",   "dist",        "node_modules",  "site-packages", "target",
                                         "vendor",  "venv",        "__pycache__"};

constexpr std::string_view kExampleWords[] = {"default", "defaults", "dist",     "example", "examples",
                                              "sample",  "schema",   "template", "tmpl",    "tpl"};

constexpr std::string_view kBetweenWords = ".-_";

}  // namespace

bool is_left_to_tools(std::string_view directory) {
  return std::find(std::begin(kOfTools), std::end(kOfTools), directory) != std::end(kOfTools);
}

bool is_example(std::string_view name) {
  while (!name.empty()) {
    const std::size_t end = std::min(name.find_first_of(kBetweenWords), name.size());
    const std::string_view word = name.substr(0, end);
    if (std::find(std::begin(kExampleWords), std::end(kExampleWords), word) != std::end(kExampleWords)) return true;
    name.remove_prefix(std::min(end + 1, name.size()));
  }
  return false;
}

}  // namespace agentctl::bwrap
