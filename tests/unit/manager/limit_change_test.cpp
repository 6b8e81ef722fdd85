// SPDX-License-Identifier: Apache-2.0
#include "manager/limit_change.h"

#include <doctest/doctest.h>

#include "base/quantity.h"
#include "base/text.h"
#include "manager/limit_use.h"

namespace agentctl::manager {
namespace {

constexpr policy::MachineSize kMachine{16ULL << 30, 4};

LimitChange read(const std::vector<std::string>& words) {
  const auto change = read_limit_change(words, kMachine);
  INFO("words: ", join(words, " "));
  REQUIRE_MESSAGE(change.has_value(), change.error().message);
  return *change;
}

std::string refused(const std::vector<std::string>& words) {
  const auto change = read_limit_change(words, kMachine);
  INFO("words: ", join(words, " "));
  REQUIRE_FALSE(change.has_value());
  CHECK(change.error().kind == ErrorKind::usage);
  return change.error().message;
}

std::optional<LimitChange> parse(const std::string& text) {
  std::vector<std::string_view> words;
  for_each_part(text, ' ', [&](std::string_view word) { words.push_back(word); });
  return parse_words(words);
}

}  // namespace

TEST_SUITE("limit_change") {
  TEST_CASE("only what is named is changed") {
    const LimitChange change = read({"memory-max=50%", "cpu-quota=250%", "runtime-max=2h"});
    CHECK(change.memory_max == 8ULL << 30);
    CHECK(change.cpu_quota_per_sec_usec == 2'500'000U);
    CHECK(change.runtime_max_usec == 7'200'000'000U);
    CHECK_FALSE(change.tasks_max);
    units::ScopeLimits limits;
    limits.tasks_max = 77;
    limits.io_weight = 5;
    const units::ScopeLimits changed = with_change(limits, change);
    CHECK(changed.memory_max == 8ULL << 30);
    CHECK(changed.tasks_max == 77);
    CHECK(changed.io_weight == 5U);
  }

  TEST_CASE("the time limit alone concerns no scope") {
    CHECK_FALSE(read({"runtime-max=infinity"}).concerns_scope());
    CHECK(read({"runtime-max=infinity", "tasks-max=infinity"}).concerns_scope());
  }

  TEST_CASE("every mistake is told at once") {
    const std::string text = refused(
        {"memory-max=lots", "tasks-mx=5", "cpu-weight", "oom=session", "swap-max=1G", "swap-max=2G", "io-weight=0"});
    for (const char* part : {"'memory-max' has no usable value", "unknown limit 'tasks-mx'; did you mean 'tasks-max'?",
                             "'cpu-weight' needs a value", "'oom' cannot be changed", "'swap-max' is given twice",
                             "'io-weight' must be"}) {
      INFO("text: ", text);
      CHECK(text.find(part) != std::string::npos);
    }
  }

  TEST_CASE("a limit that no session could live with is refused") {
    CHECK(refused({"memory-max=1M"}).find("at least 16.0M") != std::string::npos);
    CHECK(refused({"tasks-max=2"}).find("at least 8") != std::string::npos);
    CHECK(refused({"memory-max=1G", "memory-high=2G"}).find("must not be above") != std::string::npos);
    refused({"runtime-max=0"});
    CHECK(refused({"memory-max\x1b=1"}).find('\x1b') == std::string::npos);
  }

  TEST_CASE("what was not asked for before is infinite when it is put back") {
    const LimitChange change = read({"memory-high=1G", "io-weight=7"});
    units::ScopeLimits before;
    CHECK(without_change(before, change).memory_high == kInfinity);
    CHECK(without_change(before, change).io_weight == kInfinity);
    before.memory_high = 5;
    CHECK(without_change(before, change).memory_high == 5U);
    CHECK_FALSE(without_change({}, read({"tasks-max=9"})).memory_high);
  }

  TEST_CASE("words for the control socket are read back as they were written") {
    const LimitChange change = read({"memory-max=1G", "memory-high=1G", "swap-max=infinity", "cpu-quota=5%",
                                     "cpu-weight=1", "tasks-max=9", "io-weight=10000", "runtime-max=infinity"});
    CHECK(parse(join(to_words(change), " ")) == change);
    for (const char* text : {"", "memory-max", "memory-max=", "memory-max=1G", "memory-max=-1",
                             "memory-max=1 memory-max=1", "oom=1", "memory-max=18446744073709551616", "tasks-max=9 "}) {
      INFO("text: '", text, "'");
      CHECK_FALSE(parse(text));
    }
    CHECK_FALSE(parse_words({}));
  }
}

TEST_SUITE("limit_use") {
  TEST_CASE("less memory than is in use is refused with both figures") {
    units::CgroupUsage usage;
    usage.memory = 100ULL << 20;
    const auto checked = check_use(read({"memory-max=64M"}), usage);
    REQUIRE_FALSE(checked.has_value());
    CHECK(checked.error().message.find("64.0M is below the 100.0M in use") != std::string::npos);
    CHECK(checked.error().hint.find("--force") != std::string::npos);
    CHECK(check_use(read({"memory-max=100M"}), usage).has_value());
    CHECK(check_use(read({"tasks-max=9"}), usage).has_value());
    CHECK(check_use(read({"memory-max=64M"}), {}).has_value());
  }

  TEST_CASE("fewer tasks than there are, and memory-high below the use, are told") {
    units::CgroupUsage usage;
    usage.memory = 100ULL << 20;
    usage.tasks = 50;
    CHECK(describe_use(read({"tasks-max=20", "memory-high=64M"}), usage).size() == 2);
    CHECK(describe_use(read({"tasks-max=51", "memory-high=100M"}), usage).empty());
  }
}

}  // namespace agentctl::manager
