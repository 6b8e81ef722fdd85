// SPDX-License-Identifier: Apache-2.0
#include "manager/record.h"

#include <algorithm>

#include <doctest/doctest.h>

#include "base/quantity.h"
#include "base/text.h"
#include "tests/unit/manager/sample_record.h"

namespace agentctl::manager {
namespace {

Record round_trip(const Record& record) {
  const auto again = parse_record(serialize(record));
  REQUIRE_MESSAGE(again.has_value(), again.error().message);
  return *again;
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const std::size_t at = text.find(what);
  REQUIRE(at != std::string::npos);
  return text.replace(at, what.size(), by);
}

void refuses(const std::string& text) {
  INFO("text: ", printable(text));
  CHECK_FALSE(parse_record(text).has_value());
}

}  // namespace

TEST_SUITE("record") {
  TEST_CASE("what is written is what is read") {
    Record record = sample_record();
    record.door = sample_door();
    CHECK(serialize(round_trip(record)) == serialize(record));
    const Record again = round_trip(record);
    CHECK(again.command == record.command);
    CHECK(again.limits.memory_max == record.limits.memory_max);
    CHECK(again.limits.memory_high == record.limits.memory_high);
    CHECK(again.runtime_max_usec == kInfinity);
    CHECK(again.supervisor.pid == 4711);
    CHECK(again.supervisor.start_time == 123456);
    CHECK(again.warnings == record.warnings);
    CHECK(again.hosts_allowed == record.hosts_allowed);
    CHECK(again.hosts_changed == record.hosts_changed);
    CHECK(again.door.denied == 3);
    CHECK(again.door.remedy == "agentctl allow claude-webshop a.net");
  }

  TEST_CASE("bytes that mean something to the format survive it") {
    Record record = sample_record();
    record.project = "/home/a=b\nSUPERVISOR_PID=1\\n\t/\xff\xfe";
    record.command = {"sh", "-c", "a\nb\tc\\d\\n", "", "\x1b[31m", "=", "\r"};
    const Record again = round_trip(record);
    CHECK(again.project == record.project);
    CHECK(again.command == record.command);
    CHECK(again.supervisor.pid == 4711);
  }

  TEST_CASE("fields in another order, and beside unknown ones, are read all the same") {
    const Record record = sample_record();
    std::vector<std::string> lines = split(serialize(record), '\n');
    std::reverse(lines.begin(), lines.end());
    lines.emplace_back("UNKNOWN=1");
    const auto again = parse_record(join(lines, "\n"));
    REQUIRE(again.has_value());
    CHECK(again->name == record.name);
    CHECK(again->supervisor == record.supervisor);
    CHECK(again->limits.memory_high == record.limits.memory_high);
    CHECK(again->command.size() == record.command.size());
  }

  TEST_CASE("the head of a record is what the whole says, and refused where that is") {
    const Record record = sample_record();
    const auto head = parse_record_head(serialize(record));
    REQUIRE(head.has_value());
    CHECK(head->id == record.id);
    CHECK(head->name == record.name);
    CHECK(head->project == record.project);
    CHECK(head->supervisor == record.supervisor.pid);
    CHECK(head->boot_id == record.boot_id);
    CHECK_FALSE(parse_record_head("").has_value());
    CHECK_FALSE(parse_record_head(replaced(serialize(record), "SUPERVISOR_PID=4711", "SUPERVISOR_PID=0")).has_value());
    CHECK_FALSE(parse_record_head(replaced(serialize(record), "SUPERVISOR_PID=4711", "SUPERVISOR_PID=x")).has_value());
  }

  TEST_CASE("an empty list and a list of one empty word differ") {
    Record record = sample_record();
    record.hidden = {};
    record.command = {""};
    CHECK(round_trip(record).hidden.empty());
    CHECK(round_trip(record).command == std::vector<std::string>{""});
  }

  TEST_CASE("a limit that was not asked for stays unasked") {
    Record record = sample_record();
    record.limits.memory_high.reset();
    record.limits.io_weight.reset();
    CHECK_FALSE(round_trip(record).limits.memory_high.has_value());
    CHECK_FALSE(round_trip(record).limits.io_weight.has_value());
  }

  TEST_CASE("a field of a later version is passed over") {
    const auto record = parse_record(serialize(sample_record()) + "OF_TOMORROW=1\n");
    REQUIRE(record.has_value());
    CHECK(record->name == "claude-webshop");
  }

  TEST_CASE("a record without its owner is refused") {
    refuses("");
    refuses("ID=1a2b3c4d\n");
    refuses(replaced(serialize(sample_record()), "ID=1a2b3c4d\n", ""));
    refuses(replaced(serialize(sample_record()), "SUPERVISOR_PID=4711", "SUPERVISOR_PID=0"));
    refuses(replaced(serialize(sample_record()), "SUPERVISOR_PID=4711", "SUPERVISOR_PID=-1"));
  }

  TEST_CASE("a number that is none is refused and named") {
    for (const char* number : {"", "x", "12x", " 12", "99999999999999999999999"}) {
      const auto record =
          parse_record(replaced(serialize(sample_record()), "CGROUP_ID=9876", cat("CGROUP_ID=", number)));
      INFO("number: ", number);
      REQUIRE_FALSE(record.has_value());
      CHECK(record.error().message.find("CGROUP_ID") != std::string::npos);
    }
  }

  TEST_CASE("bytes that are no record are refused") {
    refuses(std::string(4096, '\0'));
    refuses("\xff\xfe=\n=\n==\n");
    refuses(serialize(sample_record()).substr(0, 40));
  }
}

}  // namespace agentctl::manager
