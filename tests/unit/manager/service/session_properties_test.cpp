// SPDX-License-Identifier: Apache-2.0
#include "manager/service/session_properties.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/unit/manager/sample_record.h"

namespace agentctl::manager::service {
namespace {

SessionView sample_view() {
  SessionView view;
  view.record = sample_record();
  view.state = "running";
  view.effective.memory_max = 2ULL << 30;
  view.usage.memory = 4096;
  view.usage.tasks = 3;
  return view;
}

PropertyValue value_of(const SessionView& view, const char* name) {
  const SessionProperty* property = find_property(name);
  REQUIRE(property != nullptr);
  return property->read(view);
}

std::string text_of(const SessionView& view, const char* name) { return std::get<std::string>(value_of(view, name)); }

bool has_key(const PropertyValue& value, const std::string& key) {
  const auto& dictionary = std::get<Dictionary>(value);
  return std::any_of(dictionary.begin(), dictionary.end(), [&](const auto& entry) { return entry.first == key; });
}

std::set<std::string> changed(const SessionView& before, const SessionView& now) {
  const auto names = changed_properties(before, now);
  return {names.begin(), names.end()};
}

}  // namespace

TEST_SUITE("session_properties") {
  TEST_CASE("each value is of the type that the property declares") {
    for (const SessionProperty& property : session_properties()) {
      const std::string signature = property.signature;
      CAPTURE(property.name);
      CHECK(property.read(sample_view()).index() == (signature == "s"    ? 0
                                                     : signature == "as" ? 1
                                                     : signature == "u"  ? 2
                                                     : signature == "t"  ? 3
                                                                         : 4));
    }
  }

  TEST_CASE("a session is what its record says") {
    const SessionView view = sample_view();
    CHECK(text_of(view, "Name") == "claude-webshop");
    CHECK(text_of(view, "CgroupPath") == "/sys/fs/cgroup/user.slice/app-agentctl-1a2b3c4d.scope");
    CHECK(value_of(view, "CgroupId") == PropertyValue(std::uint64_t{9876}));
    CHECK(value_of(view, "LeaderPID") == PropertyValue(std::uint32_t{4715}));
    CHECK(value_of(view, "Command") == PropertyValue(std::vector<std::string>{"claude", "--continue"}));
  }

  TEST_CASE("an unknown property is none") {
    CHECK(find_property("Secret") == nullptr);
    CHECK(find_property("") == nullptr);
  }

  TEST_CASE("a limit that was not asked for, and a file that the kernel has not, have no entry") {
    SessionView view = sample_view();
    view.record.limits.io_weight.reset();
    CHECK(has_key(value_of(view, "LimitsAsked"), "memory-max"));
    CHECK_FALSE(has_key(value_of(view, "LimitsAsked"), "io-weight"));
    CHECK(has_key(value_of(view, "LimitsEffective"), "memory-max"));
    CHECK_FALSE(has_key(value_of(view, "LimitsEffective"), "tasks-max"));
    CHECK_FALSE(has_key(value_of(view, "Usage"), "memory_peak"));
  }

  TEST_CASE("a session without limits has asked for none but the time") {
    SessionView view = sample_view();
    view.record.unlimited = true;
    CHECK(value_of(view, "LimitsAsked") == PropertyValue(Dictionary{{"runtime-max", UINT64_MAX}}));
  }

  TEST_CASE("a change is told of just what has changed") {
    SessionView now = sample_view();
    now.state = "frozen";
    now.record.limits.tasks_max = 7;
    CHECK(changed(sample_view(), now) == std::set<std::string>{"State", "LimitsAsked"});
  }

  TEST_CASE("use is not told of, nor is what did not change") {
    SessionView now = sample_view();
    now.usage.memory = 8192;
    CHECK(changed(sample_view(), now).empty());
  }

  TEST_CASE("text that is UTF-8 travels as it is") {
    for (const char* text : {"", "plain", "\xc3\xa4", "\xe2\x82\xac", "\xf0\x9f\x90\xa7", "a\nb\x1b"}) {
      CHECK(bus_text(text) == text);
    }
  }

  TEST_CASE("what is no UTF-8 is replaced: a bus daemon would drop the connection") {
    const std::string mark = "\xef\xbf\xbd";
    CHECK(bus_text("a\xff"
                   "b") == "a" + mark + "b");
    CHECK(bus_text("\xc3") == mark);
    CHECK(bus_text("\xc0\xaf") == mark + mark);                        // overlong
    CHECK(bus_text("\xed\xa0\x80") == mark + mark + mark);             // a surrogate
    CHECK(bus_text("\xf4\x90\x80\x80") == mark + mark + mark + mark);  // beyond the last character
    CHECK(bus_text(std::string_view("a\0b", 3)) == "a" + mark + "b");
  }
}

}  // namespace agentctl::manager::service
