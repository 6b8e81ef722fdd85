// SPDX-License-Identifier: Apache-2.0
#include "manager/probe/dead_probe.h"

#include <doctest/doctest.h>

#include "manager/probe/plantings.h"

using namespace agentctl;
using namespace agentctl::probe;

TEST_SUITE_BEGIN("dead_probe");

TEST_CASE("the owner is read from the name of a scratch place, as it was written there") {
  const ProcessIdentity owner{4711, 123456};
  std::string name = scratch_template(owner);
  CHECK(name == "/var/tmp/agentctl-probe-4711-123456-XXXXXX");
  CHECK(owner_of_scratch(name.substr(name.rfind('/') + 1)).value() == owner);
}

TEST_CASE("no other name has an owner") {
  for (const char* name :
       {"", "agentctl-probe-", "agentctl-probe-4711", "agentctl-probe-4711-123456", "agentctl-probe-4711-123456-",
        "agentctl-probe-4711-123456-abc", "agentctl-probe-4711-123456-abcdefg", "agentctl-probe-0-123456-abcdef",
        "agentctl-probe-4711-0-abcdef", "agentctl-probe--123456-abcdef", "agentctl-probe-4711-123456-ab/def",
        "agentctl-probe-4711-123456-../../", "agentctl-probe-x-1-abcdef", "a-agentctl-probe-4711-123456-abcdef"}) {
    CAPTURE(name);
    CHECK_FALSE(owner_of_scratch(name));
  }
}

TEST_CASE("what was planted is read as it was written, with blanks in it") {
  const Planting planting{PlantingKind::file, "/home/a b/.agentctl-probe-0123456789ab.key"};
  const std::string line = write_planting(planting);
  REQUIRE(line.ends_with('\n'));
  const Planting read = read_planting(std::string_view(line).substr(0, line.size() - 1)).value();
  CHECK(read.kind == planting.kind);
  CHECK(read.what == planting.what);
}

TEST_CASE("a line that is none is refused, and what would be two lines is not written") {
  for (const char* line : {"", "file", "file ", "files /a", "rm /a"}) {
    CAPTURE(line);
    CHECK_FALSE(read_planting(line));
  }
  CHECK(write_planting({PlantingKind::file, "/a\nfile /b"}).empty());
  CHECK(write_planting({PlantingKind::file, ""}).empty());
}

TEST_CASE("a mark has twelve hexadecimal digits") {
  CHECK(is_mark("agentctl-probe-0123456789ab"));
  for (const char* text : {"", "agentctl-probe-", "agentctl-probe-0123456789a", "agentctl-probe-0123456789abc",
                           "agentctl-probe-0123456789AB", "agentctl-probe-../../../etc"}) {
    CAPTURE(text);
    CHECK_FALSE(is_mark(text));
  }
}

TEST_SUITE_END();
