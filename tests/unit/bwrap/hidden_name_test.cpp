// SPDX-License-Identifier: Apache-2.0
#include "bwrap/hidden_name.h"

#include <doctest/doctest.h>

#include "bwrap/layout.h"
#include "tests/unit/bwrap/sample_machine.h"

namespace agentctl::bwrap {
namespace {

using Names = std::vector<HiddenName>;

HiddenName name(const std::string& path, const std::string& link = {}) { return {path, link, "rule"}; }

TEST_SUITE("hidden_name") {
  TEST_CASE("a file that is there, reached without a link, is covered: its name needs no watch") {
    SampleMachine machine;
    machine.file("/home/u/p/.env");
    CHECK_EQ(find_hidden_names(machine.resolve("/home/u/p/.env"), "rule"), Names{});
  }

  TEST_CASE("what is missing is hidden at its name, and so is what is missing above it") {
    SampleMachine machine;
    machine.directory("/home/u/p");
    CHECK_EQ(find_hidden_names(machine.resolve("/home/u/p/a/b/.env"), "rule"), Names{name("/home/u/p/a/b/.env")});
  }

  TEST_CASE("every link of a chain may stay as it is, and nothing else at its name") {
    SampleMachine machine;
    machine.file("/home/u/vault/key").link("/home/u/p/one", "two").link("/home/u/p/two", "/home/u/vault/key");
    CHECK_EQ(find_hidden_names(machine.resolve("/home/u/p/one"), "rule"),
             Names{name("/home/u/p/one", "two"), name("/home/u/p/two", "/home/u/vault/key")});
  }

  TEST_CASE("below a link to a directory the name is the one that a directory in its place would make") {
    SampleMachine machine;
    machine.file("/home/u/p/releases/1/.env").link("/home/u/p/current", "releases/1");
    CHECK_EQ(find_hidden_names(machine.resolve("/home/u/p/current/.env"), "rule"),
             Names{name("/home/u/p/current/.env")});
  }

  TEST_CASE("a link to nothing is watched at both ends") {
    SampleMachine machine;
    machine.directory("/home/u/p/shared").link("/home/u/p/.env", "shared/.env");
    CHECK_EQ(find_hidden_names(machine.resolve("/home/u/p/.env"), "rule"),
             Names{name("/home/u/p/.env", "shared/.env"), name("/home/u/p/shared/.env")});
  }

  TEST_CASE("the directories that matter are those in which a link stands or what is missing would appear") {
    SampleMachine machine;
    machine.directory("/home/u/p/shared").link("/home/u/p/conf/.env", "../shared/a/.env").file("/home/u/p/file");
    using Directories = std::vector<std::string>;
    CHECK_EQ(directories_of_names(machine.resolve("/home/u/p/conf/.env")),
             Directories{"/home/u/p/conf", "/home/u/p/shared"});
    CHECK_EQ(directories_of_names(machine.resolve("/home/u/p/file")), Directories{});
  }
}

}  // namespace
}  // namespace agentctl::bwrap
