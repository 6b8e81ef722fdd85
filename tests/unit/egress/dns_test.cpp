// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "base/text.h"
#include "egress/byte_cursor.h"
#include "egress/dns_answer.h"
#include "egress/dns_stream.h"
#include "tests/unit/egress/sample_access.h"

namespace agentctl::egress {
namespace {

using namespace std::string_literals;

constexpr std::string_view kEdns = {"\x00\x00\x29\x04\xd0\x00\x00\x00\x00\x00\x00", 11};

std::string labels(std::string_view name) {
  std::string out;
  for_each_part(name, '.', [&](std::string_view label) { out += cat(static_cast<char>(label.size()), label); });
  return out + '\0';
}

struct Header {
  std::uint16_t flags = 0x0100;
  std::uint16_t questions = 1, answers = 0, authorities = 0, additional = 0;
};

std::string message(const Header& header, std::string_view rest) {
  std::string out;
  for (const std::uint16_t number :
       {std::uint16_t{0xbeef}, header.flags, header.questions, header.answers, header.authorities, header.additional}) {
    append_number(out, number, 2);
  }
  return out += rest;
}

std::string question(std::string_view name, std::uint16_t type = dns::kA, std::uint16_t kind = dns::kIn) {
  std::string out = labels(name);
  append_number(out, type, 2);
  append_number(out, kind, 2);
  return out;
}

std::string query(std::string_view name, std::uint16_t type = dns::kA) { return message({}, question(name, type)); }

FakeAddresses fakes() { return {policy::prefix_of(address("127.1.0.0"), 16), 16}; }

// "127.1.0.1", "0 answers" with a code, or "nothing".
std::string answered(std::string_view bytes, std::initializer_list<const char*> allow = {"example.com"}) {
  FakeAddresses table = fakes();
  const auto read = read_dns_query(bytes);
  if (!read) return "nothing";
  const std::string answer = answer_dns(access(allow), table, *read).message;
  CHECK_LT(answer.size(), 512);
  ByteCursor cursor(answer);
  CHECK_EQ(cursor.u16(), 0xbeef);
  const std::uint16_t flags = cursor.u16();
  CHECK((flags & 0x8000) != 0);
  const std::uint16_t questions = cursor.u16();
  const std::uint16_t answers = cursor.u16();
  (void)cursor.take(4);
  if (questions == 1 && bytes.size() > 12) CHECK_EQ(answer.substr(12, read->question.size()), read->question);
  if (answers == 0) return cat("code ", flags & 0xf);
  (void)cursor.take(read->question.size());
  CHECK_EQ(cursor.u16(), 0xc00c);
  CHECK_EQ(cursor.u16(), read->type);
  CHECK_EQ(cursor.u16(), dns::kIn);
  CHECK_EQ(cursor.u32(), kDnsTtl);
  const std::string_view data = cursor.vector(2);
  CHECK_FALSE(cursor.has_failed());
  std::vector<std::uint8_t> raw(data.begin(), data.end());
  if (raw.size() == 4) return policy::to_string(policy::IpAddress::v4(std::span<const std::uint8_t, 4>(raw.data(), 4)));
  return policy::to_string(policy::IpAddress::v6(std::span<const std::uint8_t, 16>(raw.data(), 16)));
}

TEST_SUITE("dns") {
  TEST_CASE("an allowed name has an address of the pool, and only that") {
    CHECK_EQ(answered(query("example.com")), "127.1.0.1");
    CHECK_EQ(answered(query("eXaMpLe.CoM")), "127.1.0.1");
    CHECK_EQ(answered(query("a.b.example.org"), {"*.example.org:8443"}), "127.1.0.1");
    for (const std::uint16_t type : {dns::kAaaa, dns::kHttps, dns::kSvcb})
      CHECK_EQ(answered(query("example.com", type)), "code 0");
  }

  TEST_CASE("a name that no rule allows does not exist, and the log hears of it") {
    for (const std::string name :
         {"evil.example", "evil-example.com", "www.example.com", "com", "secret.in.a.name.evil.example"}) {
      CHECK_EQ(answered(query(name)), "code 3");
      CHECK_EQ(answered(query(name, dns::kAaaa)), "code 3");
      FakeAddresses table = fakes();
      const DnsAnswer answer = answer_dns(access({"example.com"}), table, *read_dns_query(query(name)));
      REQUIRE(answer.denial.has_value());
      CHECK_EQ(answer.denial->asked, name);
      CHECK_EQ(table.size(), 0);
    }
  }

  TEST_CASE("a client that speaks EDNS is told that the name is blocked") {
    FakeAddresses table = fakes();
    const std::string bytes = message({.additional = 1}, question("evil.example") + std::string(kEdns));
    const std::string answer = answer_dns(access({}), table, *read_dns_query(bytes)).message;
    CHECK(answer.ends_with("\x00\x00\x29\x04\xd0\x00\x00\x00\x00\x00\x06\x00\x0f\x00\x02\x00\x0f"s));
    CHECK_EQ(answered(message({.additional = 1}, question("example.com") + std::string(kEdns))), "127.1.0.1");
  }

  TEST_CASE("localhost is the sandbox's own loopback") {
    CHECK_EQ(answered(query("localhost"), {}), "127.0.0.1");
    CHECK_EQ(answered(query("db.localhost", dns::kAaaa), {}), "::1");
    CHECK_EQ(answered(query("localhost", dns::kHttps), {}), "code 0");
  }

  TEST_CASE("types that could carry data out are refused, also of an allowed name") {
    constexpr std::uint16_t kTxt = 16, kMx = 15, kAny = 255, kNull = 10, kNs = 2, kAxfr = 252;
    for (const std::uint16_t type : {kTxt, kMx, kAny, kNull, kNs, kAxfr})
      CHECK_EQ(answered(query("example.com", type)), "code 5");
    CHECK_EQ(answered(query("1.0.1.127.in-addr.arpa", dns::kPtr)), "code 3");
    constexpr std::uint16_t kChaos = 3;
    CHECK_EQ(answered(message({}, question("version.bind", dns::kA, kChaos))), "code 5");
  }

  TEST_CASE("a name that is no host's does not exist") {
    for (const std::string name : {"a b.example", "127.0.0.1", "*.example.com", "-a.example", "ex\u00e4mple.com", "a@b",
                                   "example.com%00", "xn--a.example"}) {
      CAPTURE(name);
      CHECK_EQ(answered(query(name), {"**.example.com"}), "code 3");
    }
    CHECK_EQ(answered(message({}, "\x00\x00\x01\x00\x01"s)), "code 3");  // the root
    // "example.com" as one label with a dot in it
    CHECK_EQ(answered(message({}, "\013example.com\0\x00\x01\x00\x01"s)), "code 3");
    CHECK_EQ(answered(message({}, "\010evil.net\007example\003com\0\x00\x01\x00\x01"s), {"*.example.com"}), "code 3");
    CHECK_EQ(answered(message({}, "\004a\0.b\007example\003com\0\x00\x01\x00\x01"s), {"*.example.com"}), "code 3");
  }

  TEST_CASE("compression in a question is refused, so nothing loops") {
    for (const std::string& name :
         {"\xc0\x0c"s, "\xc0\x00"s, "\x03www\xc0\x0c"s, "\xc0\xff"s, "\x40" + std::string(64, 'a'), "\x80x"s}) {
      CHECK_EQ(answered(message({}, name + "\x00\x01\x00\x01"s)), "code 1");
    }
  }

  TEST_CASE("a message that is not one question is refused") {
    const std::string good = question("example.com");
    CHECK_EQ(answered(message({.questions = 0}, "")), "code 1");
    CHECK_EQ(answered(message({.questions = 2}, good + good)), "code 1");
    CHECK_EQ(answered(message({.answers = 1}, good)), "code 1");
    CHECK_EQ(answered(message({.authorities = 1}, good)), "code 1");
    CHECK_EQ(answered(message({.additional = 1}, good)), "code 1");
    CHECK_EQ(answered(message({.additional = 2}, good + std::string(kEdns) + std::string(kEdns))), "code 1");
    CHECK_EQ(answered(message({}, good + "x")), "code 1");
    CHECK_EQ(answered(message({}, good + std::string(kEdns))), "code 1");
    CHECK_EQ(answered(message({}, good.substr(0, good.size() - 1))), "code 1");
    CHECK_EQ(answered(message({}, "\007example")), "code 1");
    CHECK_EQ(answered(message({.additional = 1}, good + "\x00\x00\x29\x04\xd0\x00\x01\x00\x00\x00\x00"s)), "code 1");
    CHECK_EQ(answered(message({.additional = 1}, good + "\x00\x00\xfa\x04\xd0\x00\x00\x00\x00\x00\x00"s)), "code 1");
    CHECK_EQ(answered(message({}, good + std::string(600, '\0'))), "code 1");
    CHECK_EQ(answered(message({.flags = 0x2800}, good)), "code 4");  // an update
  }

  TEST_CASE("a query is at most 512 bytes long, with all that EDNS puts in") {
    const auto padded = [](std::size_t size) {
      std::string bytes = message({.additional = 1}, question("example.com") + "\x00\x00\x29\x04\xd0\x00\x00\x00\x00"s);
      const std::size_t padding = size - bytes.size() - 2;
      append_number(bytes, static_cast<std::uint32_t>(padding), 2);
      return bytes + std::string(padding, '\0');
    };
    CHECK_EQ(answered(padded(512)), "127.1.0.1");
    CHECK_EQ(answered(padded(513)), "code 1");
  }

  TEST_CASE("an answer says what was wished for, and that it is all there is") {
    FakeAddresses table = fakes();
    const AccessList list = access({"example.com"});
    const auto flags = [&](std::uint16_t asked) {
      const auto read = read_dns_query(message({.flags = asked}, question("example.com")));
      return ByteCursor(std::string_view(answer_dns(list, table, *read).message).substr(2)).u16();
    };
    CHECK_EQ(flags(0x0100), 0x8180);
    CHECK_EQ(flags(0x0000), 0x8080);
    CHECK_EQ(flags(0x0130), 0x8180);
  }

  TEST_CASE("a name is at most 255 bytes long, with its lengths") {
    const std::string label(63, 'a');
    CHECK_EQ(answered(query(cat(label, ".", label, ".", label, ".", std::string(61, 'a')))), "code 3");
    CHECK_EQ(answered(query(cat(label, ".", label, ".", label, ".", std::string(62, 'a')))), "code 1");
  }

  TEST_CASE("what is no query gets no answer") {
    CHECK_EQ(answered(""), "nothing");
    CHECK_EQ(answered("\xbe\xef\x01\x00\x00\x01\x00\x00\x00\x00\x00"s), "nothing");
    CHECK_EQ(answered(message({.flags = 0x8180}, question("example.com"))), "nothing");
  }

  TEST_CASE("a stream is cut into messages by their lengths") {
    DnsStream stream;
    const std::string first = query("example.com");
    const std::string bytes = framed_dns(first) + framed_dns("second") + "\x00"s;
    std::vector<std::string> found;
    for (const char byte : bytes) {
      stream.feed({&byte, 1});
      while (auto next = stream.next()) found.push_back(*next);
    }
    CHECK_EQ(found, std::vector<std::string>{first, "second"});
    CHECK_FALSE(stream.is_broken());
    DnsStream whole;
    whole.feed(framed_dns(first));
    CHECK_EQ(whole.next(), first);
  }

  TEST_CASE("a stream of what is too long or empty is broken for good") {
    for (const std::string& bytes : {"\x02\x01"s, "\xff\xff"s, "\x00\x00"s}) {
      DnsStream stream;
      stream.feed(bytes + framed_dns("second"));
      CHECK_FALSE(stream.next().has_value());
      CHECK(stream.is_broken());
      CHECK_FALSE(stream.next().has_value());
    }
  }
}

}  // namespace
}  // namespace agentctl::egress
