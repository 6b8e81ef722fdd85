// SPDX-License-Identifier: Apache-2.0
#include "egress/client_hello_body.h"

#include "base/text.h"
#include "egress/byte_cursor.h"

namespace agentctl::egress {
namespace {

constexpr std::uint16_t kServerName = 0;
constexpr std::uint16_t kEncryptedClientHello = 0xfe0d;  // draft-ietf-tls-esni
constexpr std::uint8_t kHostName = 0;
constexpr std::size_t kRandom = 32;
constexpr std::size_t kLongestSession = 32;

Denial malformed(std::string detail) { return refusal(Reason::malformed, std::move(detail)); }

// The list may hold one name of each type, and there is one type (RFC 6066, 3).
std::optional<Denial> read_server_name(std::string_view extension, ClientHello& hello) {
  ByteCursor outer(extension);
  ByteCursor list(outer.vector(2));
  const std::uint8_t type = list.u8();
  const std::string_view name = list.vector(2);
  if (outer.has_failed() || !outer.at_end() || list.has_failed() || !list.at_end() || type != kHostName) {
    return malformed("the server name in TLS is not one host name");
  }
  auto parsed = policy::parse_host_name(name);
  if (!parsed) return malformed(cat("the server name in TLS ", parsed.error().message));
  hello.server_name = std::move(*parsed);
  return std::nullopt;
}

std::optional<Denial> read_extensions(std::string_view extensions, ClientHello& hello) {
  ByteCursor cursor(extensions);
  bool has_name = false;
  while (!cursor.at_end() && !cursor.has_failed()) {
    const std::uint16_t type = cursor.u16();
    const std::string_view extension = cursor.vector(2);
    if (cursor.has_failed()) break;
    if (type == kEncryptedClientHello) hello.has_encrypted_hello = true;
    if (type != kServerName) continue;
    if (has_name) return malformed("TLS names a server twice");
    has_name = true;
    if (auto fault = read_server_name(extension, hello)) return fault;
  }
  if (cursor.has_failed()) return malformed("an extension of the TLS hello is cut off");
  return std::nullopt;
}

}  // namespace

std::variant<ClientHello, Denial> read_client_hello(std::string_view message) {
  ByteCursor cursor(message);
  const std::uint8_t major = cursor.u8();
  (void)cursor.u8();
  (void)cursor.take(kRandom);
  const std::string_view session = cursor.vector(1);
  const std::string_view ciphers = cursor.vector(2);
  const std::string_view compressions = cursor.vector(1);
  if (cursor.has_failed() || major != 3 || session.size() > kLongestSession || ciphers.empty() ||
      ciphers.size() % 2 != 0 || compressions.empty()) {
    return malformed("the TLS hello is cut off or no hello");
  }
  ClientHello hello;
  if (cursor.at_end()) return hello;  // before extensions there were none
  const std::string_view extensions = cursor.vector(2);
  if (cursor.has_failed() || !cursor.at_end()) return malformed("the extensions of the TLS hello are cut off");
  if (auto fault = read_extensions(extensions, hello)) return std::move(*fault);
  return hello;
}

}  // namespace agentctl::egress
