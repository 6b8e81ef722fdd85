// SPDX-License-Identifier: Apache-2.0
// A directory of one test's own, removed with all that is in it when the test ends.
#pragma once

#include <string>
#include <string_view>

namespace agentctl::test {

class ScratchDir {
 public:
  ScratchDir();
  ~ScratchDir();
  ScratchDir(const ScratchDir&) = delete;
  ScratchDir& operator=(const ScratchDir&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }
  // Writes a file, with the directories above it, and gives its full path.
  std::string write(const std::string& name, std::string_view text) const;

 private:
  std::string path_;
};

}  // namespace agentctl::test
