// SPDX-License-Identifier: Apache-2.0
#include "egress/second_hello.h"

#include <doctest/doctest.h>

#include "base/text.h"
#include "egress/byte_cursor.h"

namespace agentctl::egress {
namespace {

using namespace std::string_literals;
using State = SecondHello::State;

std::string record(char type, std::string_view fragment) {
  std::string out = type + "\x03\x03"s;
  append_number(out, static_cast<std::uint32_t>(fragment.size()), 2);
  return out += fragment;
}

std::string hello(std::string_view name) {
  std::string list = "\0"s;
  append_number(list, static_cast<std::uint32_t>(name.size()), 2);
  list += name;
  std::string body = "\x03\x03" + std::string(32, 'r') + "\x00\x00\x02\x13\x01\x01\x00"s;
  const auto size = static_cast<std::uint32_t>(list.size());
  append_number(body, size + 6, 2);
  append_number(body, 0, 2);
  append_number(body, size + 2, 2);
  append_number(body, size, 2);
  body += list;
  std::string message = "\x01";
  append_number(message, static_cast<std::uint32_t>(body.size()), 3);
  return record(22, message + body);
}

std::string server_hello(std::string_view random) {
  return record(22, "\x02\x00\x00\x40\x03\x03"s + std::string(random) + "more");
}

const std::string kRetry =
    "\xcf\x21\xad\x74\xe5\x9a\x61\x11\xbe\x1d\x8c\x02\x1e\x65\xb8\x91\xc2\xa2\x11\x16\x7a\xbb\x8c\x5e\x07\x9e\x09\342"
    "\xc8\xa8\x33\x9c";
const std::string kChange = record(20, "\x01");
const std::string kData = record(23, "early");

SecondHello watch() { return SecondHello(*policy::parse_host_name("example.com")); }

// What went on of a client's bytes, whatever the size of their pieces.
std::string passed(SecondHello& second, std::string_view bytes, std::size_t piece = 100000) {
  std::string out;
  for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size()))) second.pass(bytes.substr(0, piece), out);
  return out;
}

TEST_SUITE("second_hello") {
  TEST_CASE("where the server asks for no second hello, the look is over with its first record") {
    SecondHello second = watch();
    second.look_at_answer(server_hello(std::string(32, 'x')));
    CHECK(second.state() == State::over);
    CHECK_EQ(passed(second, "anything at all"), "anything at all");
    SecondHello alert = watch();
    alert.look_at_answer(record(21, "\x02\x28"));
    CHECK(alert.state() == State::over);
  }

  TEST_CASE("a second hello for the same host goes on, for another nothing of it") {
    for (const std::size_t piece : {1U, 2U, 7U, 100000U}) {
      SecondHello same = watch();
      same.look_at_answer(server_hello(kRetry));
      CHECK(same.state() == State::watching);
      const std::string bytes = kChange + hello("EXAMPLE.com") + record(23, "data");
      CHECK_EQ(passed(same, bytes, piece), bytes);
      CHECK(same.state() == State::over);

      SecondHello other = watch();
      other.look_at_answer(server_hello(kRetry));
      CHECK_EQ(passed(other, kChange + hello("evil.example"), piece), kChange);
      REQUIRE(other.state() == State::refused);
      CHECK(other.denial().reason == Reason::server_name);
      CHECK_EQ(passed(other, "more"), "");
    }
  }

  TEST_CASE("a second hello is held back before the server has answered, too") {
    SecondHello second = watch();
    CHECK_EQ(passed(second, hello("evil.example")), "");
    CHECK(second.state() == State::refused);
  }

  TEST_CASE("no record before it hides a second hello") {
    for (const std::string& before : {kChange + kChange, kData + kData, record(21, "\x01\x00"s), record(22, "\x10..."),
                                      record(23, std::string(16640, 'x'))}) {
      for (const std::size_t piece : {1U, 5U, 100000U}) {
        SecondHello second = watch();
        CHECK_EQ(passed(second, before + hello("evil.example"), piece), before);
        CHECK(second.state() == State::refused);
      }
    }
  }

  TEST_CASE("a second hello without the name, or none where there was one, is another") {
    std::string nameless = "\x03\x03" + std::string(32, 'r') + "\x00\x00\x02\x13\x01\x01\x00\x00\x00"s;
    SecondHello second = watch();
    CHECK_EQ(passed(second, record(22, "\x01\x00\x00"s + static_cast<char>(nameless.size()) + nameless)), "");
    CHECK(second.state() == State::refused);
    SecondHello bare{std::nullopt};
    CHECK_EQ(passed(bare, hello("example.com")), "");
    CHECK(bare.state() == State::refused);
  }

  TEST_CASE("what is no TLS does not go on") {
    for (const std::string& bytes : {"GET / HTTP/1.1\r\n"s, record(22, ""), record(24, "x"),
                                     record(20, std::string(17000, 'x')), "\x16\x03\x03\x00\x00\x16\x03\x03"s}) {
      SecondHello second = watch();
      CHECK_EQ(passed(second, bytes), "");
      CHECK(second.state() == State::refused);
    }
  }

  TEST_CASE("the server's answer may come in pieces") {
    for (const std::string& random : {kRetry, std::string(32, 'x')}) {
      SecondHello second = watch();
      for (const char byte : server_hello(random)) second.look_at_answer({&byte, 1});
      CHECK((second.state() == State::watching) == (random == kRetry));
    }
  }

  TEST_CASE("what was held is given when the look is over") {
    SecondHello second = watch();
    const std::string half = hello("example.com").substr(0, 20);
    CHECK_EQ(passed(second, half), "");
    second.look_at_answer(record(21, "\x02\x28"));
    CHECK_EQ(passed(second, "x"), half + "x");
  }
}

}  // namespace
}  // namespace agentctl::egress
