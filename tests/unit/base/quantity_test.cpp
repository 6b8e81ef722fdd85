// SPDX-License-Identifier: Apache-2.0
#include "base/quantity.h"

#include <doctest/doctest.h>

namespace agentctl {
namespace {

constexpr std::uint64_t kGibibyte = 1ULL << 30;
constexpr std::uint64_t kSecond = 1'000'000;

template <typename Parse>
void check_refused(Parse parse, std::initializer_list<const char*> texts) {
  for (const char* text : texts) {
    CAPTURE(text);
    const auto result = parse(text);
    REQUIRE_FALSE(result);
    CHECK(result.error().kind == ErrorKind::usage);
    CHECK(result.error().message.starts_with("'"));
  }
}

}  // namespace

TEST_SUITE_BEGIN("quantity");

TEST_CASE("a size is a number with a suffix of base 1024") {
  CHECK_EQ(*parse_size("0"), 0);
  CHECK_EQ(*parse_size("1048576"), 1'048'576);
  CHECK_EQ(*parse_size("8G"), 8 * kGibibyte);
  CHECK_EQ(*parse_size("512m"), 512ULL << 20);
  CHECK_EQ(*parse_size("1.5G"), kGibibyte + kGibibyte / 2);
  CHECK_EQ(*parse_size("0.1K"), 102);
  CHECK_EQ(*parse_size("15E"), 15ULL << 60);
  CHECK_EQ(*parse_size("0.999999999999E"), 1'152'921'504'605'694'054ULL);
  CHECK_EQ(*parse_size("infinity"), kInfinity);
}

TEST_CASE("what is no size is refused") {
  check_refused(parse_size, {"", "G", "-1", "+1", "8GB", "8GiB", "8 G", " 8G", "8G ", "1.G", ".5G", "1.5", "0x10",
                             "1e3", "8X", "8G4M", "60%", "Infinity", "max"});
}

TEST_CASE("a size that does not fit, or would read as infinity, is refused") {
  check_refused(parse_size, {"16E", "18446744073709551615", "18446744073709551616", "99999999999999999999999999G"});
}

TEST_CASE("an error shows foreign bytes as escapes") {
  CHECK(parse_size("\x1b[2J").error().message.starts_with("'\\x1b[2J' is not a size"));
}

TEST_CASE("a share is of the whole and rounds down") {
  CHECK_EQ(*parse_size_or_share("60%", 1000), 600);
  CHECK_EQ(*parse_size_or_share("33.33%", 100), 33);
  CHECK_EQ(*parse_size_or_share("100%", kInfinity - 1), kInfinity - 1);
  CHECK_EQ(*parse_size_or_share("0%", 1000), 0);
  CHECK_EQ(*parse_size_or_share("8G", 1000), 8 * kGibibyte);
  CHECK_FALSE(parse_size_or_share("101%", 1000));
  CHECK_FALSE(parse_size_or_share("%", 1000));
}

TEST_CASE("a percentage has its sign and at most two decimals") {
  CHECK_EQ(*parse_percent("250%"), 25'000);
  CHECK_EQ(*parse_percent("12.5%"), 1'250);
  CHECK_EQ(*parse_percent("0.01%"), 1);
  check_refused(parse_percent, {"250", "%", "-5%", "12.345%", "1 %", "1%%", "infinity", "99999999999999999999%"});
}

TEST_CASE("a duration adds up its parts, and a bare number is seconds") {
  CHECK_EQ(*parse_duration("90"), 90 * kSecond);
  CHECK_EQ(*parse_duration("90s"), 90 * kSecond);
  CHECK_EQ(*parse_duration("1h 30min"), 5400 * kSecond);
  CHECK_EQ(*parse_duration("1h30min"), 5400 * kSecond);
  CHECK_EQ(*parse_duration("5 min 20 s"), 320 * kSecond);
  CHECK_EQ(*parse_duration("500ms"), 500'000);
  CHECK_EQ(*parse_duration("1.5h"), 5400 * kSecond);
  CHECK_EQ(*parse_duration("2 weeks"), 1'209'600 * kSecond);
  CHECK_EQ(*parse_duration("1m"), 60 * kSecond);
  CHECK_EQ(*parse_duration("1M"), 2'629'800 * kSecond);
  CHECK_EQ(*parse_duration("7µs"), 7);
  CHECK_EQ(*parse_duration("0"), 0);
  CHECK_EQ(*parse_duration(" 1s "), kSecond);
  CHECK_EQ(*parse_duration("infinity"), kInfinity);
}

TEST_CASE("what is no duration is refused") {
  check_refused(parse_duration, {"", " ", "min", "-1s", "1 parsec", "1h, 30min", "1..5h", "1h infinity", "0x1s", "1H"});
  check_refused(parse_duration, {"18446744073709551615us", "999999999999y", "584554y 200000y"});
}

TEST_CASE("a count is a whole number") {
  CHECK_EQ(*parse_count("4096"), 4096);
  CHECK_EQ(*parse_count("0"), 0);
  CHECK_EQ(*parse_count("infinity"), kInfinity);
  check_refused(parse_count, {"", "-1", "4k", "1.0", "1 000", "18446744073709551615", "18446744073709551616"});
}

TEST_CASE("a size is shown with one decimal, never larger than it is") {
  CHECK_EQ(format_size(0), "0B");
  CHECK_EQ(format_size(1023), "1023B");
  CHECK_EQ(format_size(1024), "1.0K");
  CHECK_EQ(format_size(64ULL << 20), "64.0M");
  CHECK_EQ(format_size(2 * kGibibyte), "2.0G");
  CHECK_EQ(format_size(2 * kGibibyte - 1), "1.9G");
  CHECK_EQ(format_size(kGibibyte + kGibibyte / 2), "1.5G");
  CHECK_EQ(format_size(15ULL << 60), "15.0E");
  CHECK_EQ(format_size(kInfinity), "infinity");
}

TEST_CASE("a duration is shown so that it can be read back") {
  CHECK_EQ(format_duration(0), "0");
  CHECK_EQ(format_duration(90 * kSecond), "1min 30s");
  CHECK_EQ(format_duration(450'000), "450ms");
  CHECK_EQ(format_duration(kSecond + 1), "1s 1us");
  CHECK_EQ(format_duration(kInfinity), "infinity");
  for (const std::uint64_t usec : {1ULL, 59'999'999ULL, 86'400'000'001ULL, 31'557'600'123'456ULL}) {
    CHECK_EQ(*parse_duration(format_duration(usec)), usec);
  }
}

TEST_CASE("a CPU quota is shown in percent") {
  CHECK_EQ(format_cpu_quota(1'500'000), "150%");
  CHECK_EQ(format_cpu_quota(125'500), "12.55%");
  CHECK_EQ(format_cpu_quota(10'050), "1.005%");
  CHECK_EQ(format_cpu_quota(0), "0%");
  CHECK_EQ(format_cpu_quota(kInfinity), "infinity");
}

TEST_SUITE_END();

}  // namespace agentctl
