// SPDX-License-Identifier: Apache-2.0
#include "manager/remote/remote_command.h"

#include <doctest/doctest.h>

#include "base/text.h"

namespace agentctl::manager {
namespace {

using Words = std::vector<std::string>;

RemoteOptions remote_of(Words words) {
  RemoteOptions remote;
  remote.host = "me@there";
  remote.words = std::move(words);
  return remote;
}

// What stands between the last two single quotes.
std::string last_word(const std::string& line) {
  const std::size_t end = line.rfind('\'');
  return line.substr(line.rfind('\'', end - 1) + 1, end - line.rfind('\'', end - 1) - 1);
}

// As printf's %b does.
std::string unescape(const std::string& text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '\\') {
      out += text[at];
      continue;
    }
    REQUIRE(text[at + 1] == '0');
    out += static_cast<char>(std::stoi(text.substr(at + 2, 3), nullptr, 8));
    at += 4;
  }
  return out;
}

}  // namespace

TEST_SUITE("remote_command") {
  TEST_CASE("the host stands behind --, and a terminal is asked for only where there is one") {
    const Words piped = ssh_words(remote_of({"status"}), false);
    CHECK(Words(piped.begin(), piped.begin() + 4) == Words{"ssh", "-T", "--", "me@there"});
    CHECK(piped.size() == 5);
    CHECK(ssh_words(remote_of({"status"}), true)[1] == "-t");
  }

  TEST_CASE("the remote shell is replaced, and is given nothing but letters, digits and octal escapes") {
    std::string every;
    for (int byte = 1; byte < 256; ++byte) every += static_cast<char>(byte);
    const std::string line = ssh_words(remote_of({"start", "--", every, "", "-x", "a'b"}), false)[4];
    CHECK(line.starts_with("exec sh -c '"));
    CHECK(last_word(line).find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789\\") ==
          std::string::npos);
    CHECK(line.find('\n') == std::string::npos);
    CHECK(line.find('!') == std::string::npos);
  }

  TEST_CASE("a POSIX shell reads the words as they were") {
    const std::string line = ssh_words(remote_of({"stop", "a b", "it's", "", "$x", "\n\xff"}), false)[4];
    CHECK(unescape(last_word(line)) == "'stop' 'a b' 'it'\\''s' '' '$x' '\n\xff'");
  }

  TEST_CASE("the status where there is no agentctl is that of a start that failed, else 1") {
    RemoteOptions start = remote_of({"start"});
    start.starts = true;
    CHECK(ssh_words(start, false)[4].find("' agentctl 125 '") != std::string::npos);
    CHECK(ssh_words(remote_of({"stop"}), false)[4].find("' agentctl 1 '") != std::string::npos);
  }

  TEST_CASE("what is about this machine is refused by its name") {
    for (const char* verb : {"completion", "launch", "serve"}) {
      const auto checked = check_remote_verb(verb);
      REQUIRE_FALSE(checked.has_value());
      CHECK(checked.error().message.find(verb) != std::string::npos);
    }
    for (const char* verb : {"start", "stop", "status", "attach", "logs", "exec", "trust"})
      CHECK(check_remote_verb(verb).has_value());
  }

  TEST_CASE("hosts are taken as ssh takes them") {
    for (const char* host : {"there", "me@there", "10.0.0.1", "::1", "ssh://me@there:2222", "me@ad@there", "a-b"})
      CHECK(check_remote_host(host).has_value());
  }

  TEST_CASE("what ssh or its ProxyCommand would take for an option is refused") {
    for (const char* host : {"-F/etc/x", "-", "me@-oProxyCommand=x", "", "@", "me@", "@there", "a b", "a\tb", "a\x1b"})
      CHECK_FALSE(check_remote_host(host).has_value());
  }
}

}  // namespace agentctl::manager
