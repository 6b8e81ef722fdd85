// SPDX-License-Identifier: Apache-2.0
#include "egress/resolver.h"

#include <doctest/doctest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <string>

#include "base/text.h"

namespace agentctl::egress {
namespace {

policy::HostName name(std::string_view text) {
  auto parsed = policy::parse_host_name(text);
  REQUIRE(parsed.has_value());
  return *parsed;
}

// Answers with what it was asked how often: a name that begins with "gone" ends it.
ResolverProcess counting_resolver() {
  int ends[2];
  REQUIRE_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
  UniqueFd ours(ends[0]);
  const UniqueFd theirs(ends[1]);
  auto process = ChildProcess::fork([&] {
    ours.reset();
    for (unsigned count = 1;; ++count) {
      std::array<char, 256> asked{};
      const ssize_t size = ::recv(theirs.get(), asked.data(), asked.size(), 0);
      if (size <= 0 || std::string_view(asked.data()).starts_with("gone")) return;
      const std::string answer = std::string_view(asked.data()).starts_with("none")
                                     ? "-no such name"
                                     : cat("+192.0.2.", count, " 2001:db8::1");
      (void)!::send(theirs.get(), answer.data(), answer.size(), 0);
    }
  });
  REQUIRE(process.has_value());
  return {std::move(ours), std::move(*process)};
}

std::vector<ResolverProcess> one(ResolverProcess process) {
  std::vector<ResolverProcess> made;
  made.push_back(std::move(process));
  return made;
}

std::string told(const Result<std::vector<policy::IpAddress>>& found) {
  if (!found) return found.error().message;
  std::string text;
  for (const policy::IpAddress& address : *found) text += cat(text.empty() ? "" : " ", to_string(address));
  return text;
}

struct Asker {
  explicit Asker(ResolverProcess process) : resolver(loop, one(std::move(process))) {}

  void ask(std::string_view host) {
    ++waiting;
    last = resolver.look_up(name(host), [this](const auto& found) {
      answers.push_back(told(found));
      --waiting;
    });
  }
  void wait() {
    CHECK(loop.run_until([this] { return waiting == 0; }).has_value());
  }

  EventLoop loop;
  Resolver resolver;
  std::vector<std::string> answers;
  int waiting = 0;
  Resolver::AskId last = 0;
};

using Texts = std::vector<std::string>;

TEST_SUITE("resolver") {
  TEST_CASE("a name is looked up the way that this machine does") {
    auto process = start_resolver();
    REQUIRE(process.has_value());
    Asker asker(std::move(*process));
    asker.ask("localhost");
    asker.wait();
    CHECK_NE(asker.answers.at(0).find("127.0.0.1"), std::string::npos);
  }

  TEST_CASE("several asks for one name are one look-up, and what was found is believed for a while") {
    Asker asker(counting_resolver());
    asker.ask("a.example");
    asker.ask("a.example");
    asker.ask("b.example");
    asker.wait();
    asker.ask("a.example");
    CHECK_EQ(asker.waiting, 0);
    CHECK_EQ(asker.answers,
             Texts{"192.0.2.1 2001:db8::1", "192.0.2.1 2001:db8::1", "192.0.2.2 2001:db8::1", "192.0.2.1 2001:db8::1"});
  }

  TEST_CASE("what was not found is asked for anew") {
    Asker asker(counting_resolver());
    asker.ask("none.example");
    asker.wait();
    asker.ask("none.example");
    CHECK_EQ(asker.waiting, 1);
    asker.wait();
    CHECK_EQ(asker.answers, Texts{"no such name", "no such name"});
  }

  TEST_CASE("who forgets what it asked hears nothing") {
    Asker asker(counting_resolver());
    asker.ask("a.example");
    asker.resolver.forget(asker.last);
    asker.waiting = 0;
    asker.ask("b.example");
    asker.wait();
    CHECK_EQ(asker.answers.size(), 1);
  }

  TEST_CASE("where nobody is left to look names up, that is told at once") {
    Asker asker(counting_resolver());
    asker.ask("gone.example");
    asker.wait();
    CHECK_EQ(asker.answers, Texts{"nobody looks it up"});
    asker.ask("a.example");
    asker.wait();
    CHECK_EQ(asker.answers.back(), "nobody looks it up");
  }

  TEST_CASE("only addresses are taken for addresses") {
    CHECK_EQ(told(read_resolved("+192.0.2.1 127.1 x ::1")), "192.0.2.1 ::1");
    CHECK_EQ(told(read_resolved("-Name or service not known\x1b[2J")), "Name or service not known\\x1b[2J");
    CHECK_EQ(told(read_resolved("")), "nobody looks it up");
  }
}

}  // namespace
}  // namespace agentctl::egress
