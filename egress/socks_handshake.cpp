// SPDX-License-Identifier: Apache-2.0
#include "egress/socks_handshake.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "egress/byte_cursor.h"

namespace agentctl::egress {
namespace {

constexpr std::uint8_t kVersion = 5;
constexpr std::uint8_t kNoLogin = 0;
constexpr std::uint8_t kConnect = 1;
constexpr std::uint8_t kBind = 2;
constexpr std::uint8_t kUdpAssociate = 3;
constexpr std::uint8_t kIpv4 = 1;
constexpr std::uint8_t kName = 3;
constexpr std::uint8_t kIpv6 = 4;
constexpr std::size_t kMostMethods = 16;  // real clients offer two or three
constexpr std::size_t kFixed = 4;         // version, command, reserved, address type
constexpr std::size_t kPort = 2;

template <std::size_t Size>
std::array<std::uint8_t, Size> bytes_of(std::string_view text) {
  std::array<std::uint8_t, Size> bytes{};
  std::copy_n(text.begin(), std::min(Size, text.size()), bytes.begin());
  return bytes;
}

std::uint8_t byte_at(std::string_view text, std::size_t at) { return static_cast<std::uint8_t>(text[at]); }

}  // namespace

std::string socks_reply(SocksReply code) {
  std::string reply;
  for (const std::uint8_t byte : {kVersion, static_cast<std::uint8_t>(code), std::uint8_t{0}, kIpv4})
    append_number(reply, byte, 1);
  reply.append(4 + kPort, '\0');
  return reply;
}

SocksReply reply_for(Reason reason) {
  if (reason == Reason::unresolved || reason == Reason::unreachable) return SocksReply::host_unreachable;
  if (reason == Reason::timed_out) return SocksReply::expired;
  return reason == Reason::malformed ? SocksReply::failure : SocksReply::not_allowed;
}

std::optional<std::size_t> SocksHandshake::size_needed() const {
  if (!is_greeted_) return message_.size() < 2 ? std::nullopt : std::optional<std::size_t>(2 + byte_at(message_, 1));
  if (message_.size() <= kFixed) return std::nullopt;
  switch (byte_at(message_, kFixed - 1)) {
    case kIpv4:
      return kFixed + 4 + kPort;
    case kIpv6:
      return kFixed + 16 + kPort;
    case kName:
      return kFixed + 1 + byte_at(message_, kFixed) + kPort;
    default:
      return kFixed;  // which take_request() refuses
  }
}

std::size_t SocksHandshake::feed(std::string_view bytes, std::string& answer) {
  std::size_t used = 0;
  while (state_ == State::more && used < bytes.size()) {
    message_ += bytes[used++];
    const std::uint8_t version = byte_at(message_, 0);
    if (version != kVersion) {
      const bool is_old = version == 4;
      refuse(refusal(is_old ? Reason::unsupported : Reason::malformed,
                     is_old ? "SOCKS4 is not spoken here; SOCKS5 is" : "this is no SOCKS5"));
      break;
    }
    const auto needed = size_needed();
    if (!is_greeted_ && needed && (*needed == 2 || *needed > 2 + kMostMethods)) {
      answer += {static_cast<char>(kVersion), '\xff'};
      refuse(refusal(Reason::malformed, "the greeting offers no method, or more than 16"));
      break;
    }
    if (!needed || message_.size() < *needed) continue;
    is_greeted_ ? take_request(answer) : take_greeting(answer);
    message_.clear();
  }
  return used;
}

void SocksHandshake::take_greeting(std::string& answer) {
  is_greeted_ = true;
  const bool is_offered = message_.find(static_cast<char>(kNoLogin), 2) != std::string::npos;
  answer += {static_cast<char>(kVersion), is_offered ? static_cast<char>(kNoLogin) : '\xff'};
  if (!is_offered) refuse(refusal(Reason::unsupported, "the client insists on a login"));
}

void SocksHandshake::take_request(std::string& answer) {
  const auto fail = [&](SocksReply reply, Reason reason, std::string detail) {
    answer += socks_reply(reply);
    refuse(refusal(reason, std::move(detail)));
  };
  ByteCursor cursor(message_);
  (void)cursor.u8();
  const std::uint8_t command = cursor.u8();
  const std::uint8_t reserved = cursor.u8();
  const std::uint8_t type = cursor.u8();
  if (command == kBind || command == kUdpAssociate) {
    return fail(SocksReply::no_such_command, Reason::unsupported,
                command == kBind ? "nothing listens for the session outside (BIND)" : "no UDP leaves (UDP ASSOCIATE)");
  }
  if (command != kConnect) return fail(SocksReply::no_such_command, Reason::malformed, "there is no such command");
  if (reserved != 0) return fail(SocksReply::failure, Reason::malformed, "the reserved byte is not 0");
  std::optional<policy::Host> host;
  if (type == kIpv4) {
    host = policy::IpAddress::v4(bytes_of<4>(cursor.take(4)));
  } else if (type == kIpv6) {
    host = policy::IpAddress::v6(bytes_of<16>(cursor.take(16)));
  } else if (type == kName) {
    const std::string_view name = cursor.vector(1);
    auto parsed = policy::parse_host(name);
    if (!parsed) return fail(SocksReply::failure, Reason::malformed, cat("the name ", parsed.error().message));
    if (name.starts_with('[')) return fail(SocksReply::failure, Reason::malformed, "the name must not be in brackets");
    host = std::move(*parsed);
  } else {
    return fail(SocksReply::no_such_address_type, Reason::malformed, "there is no such type of address");
  }
  const std::uint16_t port = cursor.u16();
  if (port == 0) return fail(SocksReply::failure, Reason::malformed, "the port is 0");
  endpoint_ = policy::Endpoint{std::move(*host), port};
  state_ = State::asked;
}

}  // namespace agentctl::egress
