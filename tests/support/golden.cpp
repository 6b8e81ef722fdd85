// SPDX-License-Identifier: Apache-2.0
#include "tests/support/golden.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <doctest/doctest.h>

namespace agentctl::test {
namespace {

std::filesystem::path full(const std::string& path) { return std::filesystem::path(AGENTCTL_GOLDEN_DIR) / path; }

}  // namespace

std::string read_golden(const std::string& path) {
  std::ifstream file(full(path), std::ios::binary);
  REQUIRE_MESSAGE(file.good(), "no golden file '", path, "'");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void check_golden(const std::string& path, const std::string& text) {
  const char* update = std::getenv("AGENTCTL_UPDATE_GOLDEN");
  if (update != nullptr && std::string(update) == "1") {
    std::ofstream file(full(path), std::ios::binary);
    file << text;
    file.flush();
    REQUIRE_MESSAGE(file.good(), "cannot write the golden file '", path, "'");
    return;
  }
  INFO("golden file ", path);
  CHECK_EQ(text, read_golden(path));
}

std::vector<std::string> golden_names(const std::string& directory, const std::string& suffix) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(full(directory))) {
    std::string name = entry.path().filename().string();
    if (!name.ends_with(suffix)) continue;
    name.resize(name.size() - suffix.size());
    names.push_back(std::move(name));
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace agentctl::test
