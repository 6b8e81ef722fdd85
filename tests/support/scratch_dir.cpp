// SPDX-License-Identifier: Apache-2.0
#include "tests/support/scratch_dir.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>

namespace agentctl::test {

ScratchDir::ScratchDir() {
  path_ = (std::filesystem::temp_directory_path() / "agentctl-test-XXXXXX").string();
  REQUIRE(::mkdtemp(path_.data()) != nullptr);
}

ScratchDir::~ScratchDir() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string ScratchDir::write(const std::string& name, std::string_view text) const {
  const std::filesystem::path file = std::filesystem::path(path_) / name;
  std::filesystem::create_directories(file.parent_path());
  std::ofstream stream(file, std::ios::binary);
  stream << text;
  stream.flush();
  REQUIRE(stream.good());
  return file.string();
}

}  // namespace agentctl::test
