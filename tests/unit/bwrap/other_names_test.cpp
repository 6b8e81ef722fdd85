// SPDX-License-Identifier: Apache-2.0
#include "bwrap/other_names.h"

#include <unistd.h>

#include <doctest/doctest.h>

#include "base/text.h"
#include "tests/support/scratch_dir.h"

namespace agentctl::bwrap {
namespace {

class Project {
 public:
  [[nodiscard]] std::string at(const std::string& name) const { return cat(dir_.path(), "/", name); }
  void write(const std::string& name) const { dir_.write(name, "x"); }
  void link(const std::string& from, const std::string& to) const {
    REQUIRE_EQ(::link(at(from).c_str(), at(to).c_str()), 0);
  }
  // "p/.env of 3: p/a/copy", for what is hidden in the project "p".
  [[nodiscard]] std::string find(const std::vector<std::string>& hidden, std::uint64_t deadline = UINT64_MAX) const {
    PathResolver resolver;
    std::vector<PathFact> facts;
    for (const std::string& name : hidden) facts.push_back(resolver.resolve(at(name)));
    std::vector<const PathFact*> known;
    for (const PathFact& fact : facts) known.push_back(&fact);
    std::vector<std::string> words;
    for (const auto& [path, others] : find_other_names(known, HostPath(at("p")), deadline, resolver)) {
      std::string word = cat(shorten(path), " of ", others.count, ":");
      for (const PathFact& name : others.found) word += cat(" ", shorten(name.canonical.str()));
      words.push_back(word);
    }
    return join(words, ", ");
  }

 private:
  [[nodiscard]] std::string shorten(const std::string& path) const { return path.substr(dir_.path().size() + 1); }
  test::ScratchDir dir_;
};

}  // namespace

TEST_SUITE("other_names") {
  TEST_CASE("the names of a hidden file in the project are found, and those elsewhere counted") {
    const Project project;
    for (const char* name : {"p/.env", "p/a/b/x", "p/own", "home/x"}) project.write(name);
    CHECK_EQ(project.find({"p/.env", "p/own"}), "");
    project.link("p/.env", "p/a/b/copy");
    project.link("p/.env", "home/copy");
    CHECK_EQ(project.find({"p/.env", "p/own", "p/gone", "p/a"}), "p/.env of 3: p/a/b/copy");
    project.link("home/x", "p/a/linked");
    CHECK_EQ(project.find({"home/x"}), "home/x of 2: p/a/linked");
  }

  TEST_CASE("two hidden names of one file each know the other") {
    const Project project;
    project.write("p/.env");
    project.link("p/.env", "p/key.pem");
    CHECK_EQ(project.find({"p/.env", "p/key.pem"}), "p/.env of 2: p/key.pem, p/key.pem of 2: p/.env");
  }

  TEST_CASE("after the deadline the count still tells that there are more") {
    const Project project;
    project.write("p/.env");
    project.link("p/.env", "p/copy");
    CHECK_EQ(project.find({"p/.env"}, 1), "p/.env of 2:");
  }
}

}  // namespace agentctl::bwrap
