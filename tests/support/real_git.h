// SPDX-License-Identifier: Apache-2.0
// A repository that the git of this machine made, with nobody's configuration.
#pragma once

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include <doctest/doctest.h>

#include "base/text.h"
#include "tests/support/scratch_dir.h"

namespace agentctl::test {

class RealGit {
 public:
  // `options` of git init: "--object-format=sha256".
  explicit RealGit(const std::string& options = "") { git("init -q " + options); }

  void git(const std::string& words) const {
    const std::string command =
        cat("cd ", shell_quote(path()), " && env -i PATH=\"$PATH\" HOME=", shell_quote(path()),
            " GIT_CONFIG_NOSYSTEM=1 git -c user.name=a -c user.email=a@example.org ", words, " >/dev/null");
    REQUIRE_EQ(std::system(command.c_str()), 0);
  }
  void write(const std::string& name, const std::string& text) const { scratch_.write(name, text); }
  void add(const std::string& name, const std::string& text) const {
    write(name, text);
    git("add -f -- " + shell_quote(name));
  }

  [[nodiscard]] std::string index() const {
    std::ifstream file(path() + "/.git/index", std::ios::binary);
    std::ostringstream bytes;
    bytes << file.rdbuf();
    return bytes.str();
  }
  [[nodiscard]] const std::string& path() const { return scratch_.path(); }

 private:
  ScratchDir scratch_;
};

}  // namespace agentctl::test
