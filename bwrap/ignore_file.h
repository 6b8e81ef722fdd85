// SPDX-License-Identifier: Apache-2.0
// IgnoreFile: one file of git's ignore patterns (.gitignore, info/exclude), and what it says of a path. Pure. Where it
// cannot be sure that it reads a line as git does, it takes the line for one that has a file not ignored. Source:
// gitignore(5), "PATTERN FORMAT".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "policy/glob.h"

namespace agentctl::bwrap {

// included: a line with "!" says that the path is not ignored, whatever weaker files say.
enum class IgnoreVerdict { unsaid, ignored, included };

class IgnoreFile {
 public:
  explicit IgnoreFile(std::string_view text);
  // One that nobody can read.
  [[nodiscard]] static IgnoreFile unknown() { return IgnoreFile("!*\n"); }

  // Of a path below the file's directory alone, not of the directories above it. The last line that matches counts.
  [[nodiscard]] IgnoreVerdict verdict(std::string_view path, bool is_directory) const;

 private:
  struct Line {
    policy::Glob glob;
    bool is_negated = false;
    bool is_of_directories = false;
  };
  void add(std::string_view text);

  std::vector<Line> lines_;
};

// A line that ignores the one path, from the top of the working tree: "/a/b.env".
[[nodiscard]] std::string ignore_line(std::string_view path);

}  // namespace agentctl::bwrap
