// SPDX-License-Identifier: Apache-2.0
#include "bwrap/bwrap_binary.h"

#include <sys/stat.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include "base/text.h"
#include "tests/support/scratch_dir.h"

namespace agentctl::bwrap {
namespace {

using std::string_view_literals::operator""sv;

TEST_SUITE("bwrap_binary") {
  TEST_CASE("version and options are read from the bytes") {
    const BwrapFact fact = describe_bwrap("junk\0bubblewrap 0.11.2\0--bind-fd\0--ro-bind-fd\0"sv);
    CHECK_EQ(fact.version, "0.11.2");
    CHECK(fact.has_bind_fd);
  }

  TEST_CASE("words that only begin alike are not taken for them") {
    const BwrapFact fact =
        describe_bwrap("bubblewrap \0bubblewrap is\0bubblewrap 0.8\n\0--bind-fd takes\0--ro-bind-fd\0"sv);
    CHECK_EQ(fact.version, "");
    CHECK_FALSE(fact.has_bind_fd);
    CHECK_FALSE(describe_bwrap("--ro-bind-fd\0"sv).has_bind_fd);
    CHECK_FALSE(describe_bwrap("").has_bind_fd);
  }

  TEST_CASE("the installed one is found, with its version, where nobody else may write") {
    const Result<BwrapFact> fact = find_bwrap(bwrap_directories());
    REQUIRE(fact.has_value());
    CHECK(fact->path.str().starts_with("/"));
    CHECK(fact->version.find('.') != std::string::npos);
  }

  TEST_CASE("one in a directory that anybody may own is refused, not passed over") {
    test::ScratchDir scratch;
    const std::string planted = scratch.write("bwrap", "bubblewrap 0.8.0");
    REQUIRE_EQ(::chmod(planted.c_str(), 0757), 0);
    const Result<BwrapFact> fact = find_bwrap({scratch.path(), "/usr/bin"});
    REQUIRE_FALSE(fact.has_value());
    CHECK(fact.error().kind == ErrorKind::environment);
    CHECK(fact.error().message.find("refused to use '") != std::string::npos);
  }

  TEST_CASE("a set-uid one is refused") {
    test::ScratchDir scratch;
    const std::string planted = scratch.write("bwrap", "bubblewrap 0.8.0");
    REQUIRE_EQ(::chmod(planted.c_str(), 04755), 0);
    const Result<BwrapFact> fact = find_bwrap({scratch.path()});
    REQUIRE_FALSE(fact.has_value());
    CHECK(fact.error().message.ends_with("it is set-uid"));
    CHECK(fact.error().hint.find("chmod u-s,g-s") != std::string::npos);
  }

  TEST_CASE("none at all is told with what to install") {
    test::ScratchDir scratch;
    const Result<BwrapFact> fact = find_bwrap({scratch.path()});
    REQUIRE_FALSE(fact.has_value());
    CHECK_EQ(fact.error().message, cat("cannot find bwrap in ", scratch.path()));
    CHECK(fact.error().hint.find("bubblewrap") != std::string::npos);
  }
}

}  // namespace
}  // namespace agentctl::bwrap
