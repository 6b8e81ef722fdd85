// SPDX-License-Identifier: Apache-2.0
#include "egress/net_log.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include "base/text.h"

namespace agentctl::egress {
namespace {

UniqueFd empty_file() { return UniqueFd(::memfd_create("log", MFD_CLOEXEC)); }

std::string content(int fd) {
  struct stat status {};
  REQUIRE_EQ(::fstat(fd, &status), 0);
  std::string text(static_cast<std::size_t>(status.st_size), '\0');
  REQUIRE_EQ(::pread(fd, text.data(), text.size(), 0), status.st_size);
  return text;
}

auto lines(const std::string& text) { return std::count(text.begin(), text.end(), '\n'); }

NetEvent event(std::string host, bool is_denied) {
  NetEvent made;
  made.host = std::move(host);
  made.port = 443;
  if (is_denied) made.denial = refusal(Reason::no_rule, "no rule allows it");
  return made;
}

// The log is told of each, and ends.
std::string kept(const std::vector<NetEvent>& events) {
  UniqueFd file = empty_file();
  const UniqueFd ours(::dup(file.get()));
  {
    EventLoop loop;
    NetLog log(loop, std::move(file));
    for (const NetEvent& happened : events) log.add(happened);
  }
  return content(ours.get());
}

TEST_SUITE("net_log") {
  TEST_CASE("each connection is a line") {
    const std::string text = kept({event("a.example", false), event("a.example", false), event("b.example", true)});
    CHECK_EQ(lines(text), 3);
    CHECK_NE(text.find("\"host\":\"b.example\""), std::string::npos);
  }

  TEST_CASE("denials that repeat are one line at once, and one with their number") {
    const std::vector<NetEvent> knocks(500, event("a.example", true));
    const std::string text = kept(knocks);
    CHECK_EQ(lines(text), 2);
    CHECK_NE(text.find("\"count\":1,"), std::string::npos);
    CHECK_NE(text.find("\"count\":499,"), std::string::npos);
  }

  TEST_CASE("a full log loses its older half, and no line but whole ones") {
    std::vector<NetEvent> events;
    for (int number = 0; number < 30000; ++number) events.push_back(event(cat("host-", number, ".example"), false));
    const std::string text = kept(events);
    CHECK_LE(text.size(), 4U * 1024 * 1024);
    CHECK_GE(text.size(), 1U * 1024 * 1024);
    CHECK(text.starts_with("{\"time_usec\""));
    CHECK(text.ends_with("}\n"));
    CHECK_NE(text.find("\"host-29999.example\""), std::string::npos);
    CHECK_EQ(text.find("\"host-0.example\""), std::string::npos);
  }

  TEST_CASE("without a file nothing is kept, and nothing goes wrong") {
    EventLoop loop;
    NetLog log(loop, UniqueFd());
    log.add(event("a.example", false));
    log.add(event("a.example", true));
  }
}

}  // namespace
}  // namespace agentctl::egress
