// SPDX-License-Identifier: Apache-2.0
#include "egress/client_hello.h"

#include <doctest/doctest.h>

#include "base/text.h"
#include "tests/unit/egress/sample_hello.h"

namespace agentctl::egress {
namespace {

using namespace std::string_literals;

// What OpenSSL sends for api.example.com, TLS 1.3.
constexpr std::string_view kOpenssl =
    "16030100f4010000f00303ed31f326c507d0220d9f03d777e13f1cd7a35634dcf3f1dc1ed26efa23d198132044c744e09e0f"
    "6209dc56eb36f25a7bbd8023fc27bec79b571367038007bc8672000813021303130100ff0100009f00000014001200000f61"
    "70692e6578616d706c652e636f6d000b000403000102000a00160014001d0017001e00190018010001010102010301040023"
    "00000016000000170000000d001e001c040305030603080708080809080a080b080408050806040105010601002b00030203"
    "04002d00020101003300260024001d0020a6bc160e5a8f2d4656485f500bd8209f2a731a6230b625ef74695f95bd666935";

std::string from_hex(std::string_view text) {
  std::string bytes;
  for (std::size_t at = 0; at + 1 < text.size(); at += 2) {
    bytes += static_cast<char>(std::stoi(std::string(text.substr(at, 2)), nullptr, 16));
  }
  return bytes;
}

// "example.com", "example.com, encrypted", "no name", or the code of the refusal, or "more".
std::string read(std::string_view bytes, std::size_t piece = 100000) {
  ClientHelloReader reader;
  std::size_t used = 0;
  while (used < bytes.size() && reader.state() == ClientHelloReader::State::more)
    used += reader.feed(bytes.substr(used, piece));
  CHECK_EQ(reader.bytes(), bytes.substr(0, used));
  if (reader.state() == ClientHelloReader::State::more) return "more";
  if (reader.state() == ClientHelloReader::State::refused) return std::string(code(reader.denial().reason));
  const ClientHello& found = reader.hello();
  return cat(found.server_name ? found.server_name->text() : "no name", found.has_encrypted_hello ? ", encrypted" : "");
}

TEST_SUITE("client_hello") {
  TEST_CASE("the server name is read from what real clients send, in whatever pieces") {
    const std::string bytes = from_hex(kOpenssl);
    for (const std::size_t piece : {1U, 2U, 3U, 7U, 100U, 1000U}) CHECK_EQ(read(bytes, piece), "api.example.com");
    for (std::size_t size = 0; size < bytes.size(); ++size) CHECK_EQ(read(bytes.substr(0, size)), "more");
  }

  TEST_CASE("a hello without a server name, or without extensions at all, names none") {
    CHECK_EQ(read(hello("")), "no name");
    CHECK_EQ(read(hello(extension(0x2b, "\x02\x03\x04"))), "no name");
    const std::string old = cat("\x03\x01", std::string(32, 'r'), sized("", 1), sized("\xc0\x2f", 2), sized("\0"s, 1));
    CHECK_EQ(read(record("\x01" + sized(old, 3))), "no name");
  }

  TEST_CASE("a name has its one spelling") {
    CHECK_EQ(read(hello(server_name("EXAMPLE.com."))), "example.com");
    CHECK_EQ(read(hello(server_name("xn--bcher-kva.example"))), "xn--bcher-kva.example");
  }

  TEST_CASE("a hello may be spread over records, down to one byte each") {
    const std::string whole = message(server_name("example.com"));
    for (const std::size_t size : {1U, 2U, 3U, 4U, 5U, 50U}) {
      std::string records;
      for (std::size_t at = 0; at < whole.size(); at += size)
        records += record(std::string_view(whole).substr(at, size));
      for (const std::size_t piece : {1U, 4U, 6U, 1000U}) CHECK_EQ(read(records, piece), "example.com");
    }
  }

  TEST_CASE("what browsers put in at random is passed over") {
    const std::string grease = extension(0x0a0a, "") + extension(0xdada, "\0"s);
    CHECK_EQ(read(hello(grease + server_name("example.com") + grease)), "example.com");
  }

  TEST_CASE("an encrypted hello is told, and its outer name is the one that counts") {
    CHECK_EQ(read(hello(server_name("public.example") + extension(0xfe0d, "\0..."s))), "public.example, encrypted");
    CHECK_EQ(read(hello(extension(0xfe0d, "\0..."s))), "no name, encrypted");
  }

  TEST_CASE("a server name that others could read differently is refused") {
    for (const std::string& name : {""s, "evil.net\0.example.com"s, "example.com\0"s, "example.com.."s, "."s,
                                    "127.0.0.1"s, "127.1"s, "::1"s, "[::1]"s, "*.example.com"s, "example.com:443"s,
                                    "user@example.com"s, "ex\u00e4mple.com"s, "a b"s, "a\nb"s, std::string(254, 'a')}) {
      CAPTURE(name);
      CHECK_EQ(read(hello(server_name(name))), "malformed");
    }
  }

  TEST_CASE("two server names, or a list that is not one host name, are refused") {
    CHECK_EQ(read(hello(server_name("example.com") + server_name("example.com"))), "malformed");
    CHECK_EQ(read(hello(server_name("example.com") + server_name("evil.example"))), "malformed");
    const std::string one = "\0"s + sized("example.com", 2);
    CHECK_EQ(read(hello(extension(0, sized(one + one, 2)))), "malformed");
    CHECK_EQ(read(hello(extension(0, sized("\x01" + sized("example.com", 2), 2)))), "malformed");
    CHECK_EQ(read(hello(extension(0, sized("", 2)))), "malformed");
    CHECK_EQ(read(hello(extension(0, ""))), "malformed");
    CHECK_EQ(read(hello(extension(0, sized(one, 2) + "x"))), "malformed");
    CHECK_EQ(read(hello(extension(0, sized(one + "x", 2)))), "malformed");
  }

  TEST_CASE("lengths that lie are refused") {
    const std::string good = message(server_name("example.com"));
    CHECK_EQ(read(record(good + "x")), "malformed");
    CHECK_EQ(read(record(good + good)), "malformed");
    CHECK_EQ(read(record("\x01" + sized(std::string_view(good).substr(4, good.size() - 5), 3))), "malformed");
    CHECK_EQ(read(record("\x01" + sized(std::string(good.substr(4)) + "x", 3))), "malformed");
    CHECK_EQ(read(hello("\0"s)), "malformed");
    CHECK_EQ(read(hello("\0\x00\x00\x05x"s)), "malformed");
    for (std::size_t size = 1; size < 40; ++size)
      CHECK_EQ(read(record("\x01" + sized(std::string_view(good).substr(4, size), 3))), "malformed");
    CHECK_EQ(read("\x16\x03\x01\x00\x00"s), "malformed");
    CHECK_EQ(read("\x16\x03\x01\x40\x01"s), "malformed");
  }

  TEST_CASE("a hello of no version of TLS, or with lists that are none, is refused") {
    const auto body = [](std::string_view version, std::size_t session, std::string_view ciphers,
                         std::string_view compressions) {
      const std::string message = cat(version, std::string(32, 'r'), sized(std::string(session, 's'), 1),
                                      sized(ciphers, 2), sized(compressions, 1), sized(server_name("example.com"), 2));
      return read(record("\x01" + sized(message, 3)));
    };
    CHECK_EQ(body("\x03\x03", 32, "\x13\x01", "\0"s), "example.com");
    CHECK_EQ(body("\x02\x03", 32, "\x13\x01", "\0"s), "malformed");
    CHECK_EQ(body("\xfe\xfd", 32, "\x13\x01", "\0"s), "malformed");
    CHECK_EQ(body("\x03\x03", 33, "\x13\x01", "\0"s), "malformed");
    CHECK_EQ(body("\x03\x03", 32, "", "\0"s), "malformed");
    CHECK_EQ(body("\x03\x03", 32, "\x13\x01\x13", "\0"s), "malformed");
    CHECK_EQ(body("\x03\x03", 32, "\x13\x01", ""), "malformed");
  }

  TEST_CASE("what is no TLS is told at its first bytes") {
    for (const std::string& bytes : {"GET / HTTP/1.1\r\n"s, "SSH-2.0-OpenSSH_9.2\r\n"s, "\x80\x2e\x01"s, "\0"s, "\x15"s,
                                     "\x17"s, "\x16\x02"s, "\x16\xfe\xfd"s, "\x16\x03\x05"s}) {
      CHECK_EQ(read(bytes), "not-tls");
    }
    CHECK_EQ(read(record("\x02")), "malformed");
    CHECK_EQ(read(record("\x01\x00"s) + "\x17\x03\x03"), "malformed");
    CHECK_EQ(read("\x16\x03\x04"), "more");
  }

  TEST_CASE("a hello is at most 16 KiB large") {
    CHECK_EQ(read(hello(server_name("example.com") + extension(0x15, std::string(15000, '\0')))), "example.com");
    CHECK_EQ(read(record("\x01\x00\x40\x01"s)), "too-large");
    std::string records;
    const std::string whole = message(extension(0x15, std::string(5000, '\0')));
    for (const char byte : whole) records += record({&byte, 1});
    CHECK_EQ(read(records), "too-large");
    CHECK_EQ(read("\x16\x03\x01\x40\x00"s + "\x01\x00\x3f\xff"s + std::string(20000, 'x')), "too-large");
  }

  TEST_CASE("what follows the hello is kept with it") {
    ClientHelloReader reader;
    const std::string bytes = hello(server_name("example.com")) + "\x14\x03\x03\x00\x01\x01"s;
    CHECK_EQ(reader.feed(bytes), bytes.size());
    CHECK(reader.state() == ClientHelloReader::State::done);
    CHECK_EQ(reader.bytes(), bytes);
    CHECK_EQ(reader.feed("more"), 0);
  }

  TEST_CASE("a denial ends with access_denied") { CHECK_EQ(access_denied_alert(), "\x15\x03\x03\x00\x02\x02\x31"s); }
}

}  // namespace
}  // namespace agentctl::egress
