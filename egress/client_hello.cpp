// SPDX-License-Identifier: Apache-2.0
#include "egress/client_hello.h"

#include <algorithm>
#include <variant>

#include "base/text.h"
#include "egress/client_hello_body.h"

namespace agentctl::egress {
namespace {

constexpr std::size_t kRecordHeader = 5;
constexpr std::size_t kLargestFragment = 1 << 14;
constexpr std::size_t kMessageHeader = 4;
constexpr char kHandshake = 0x16;
constexpr char kClientHello = 1;

Denial malformed(std::string_view detail) { return refusal(Reason::malformed, std::string(detail)); }

std::size_t big_endian(std::string_view bytes) {
  std::size_t value = 0;
  for (const char byte : bytes) value = (value << 8) | static_cast<unsigned char>(byte);
  return value;
}

}  // namespace

std::size_t ClientHelloReader::feed(std::string_view bytes) {
  if (state_ != State::more) return 0;
  const std::string_view taken = bytes.substr(0, kLargestHello - bytes_.size());
  bytes_ += taken;
  while (state_ == State::more && take_record()) {
  }
  if (state_ == State::more && bytes_.size() == kLargestHello) {
    refuse(refusal(Reason::too_large, "the TLS hello is larger than 16 KiB"));
  }
  return taken.size();
}

bool ClientHelloReader::take_record() {
  const auto fail = [this](Reason reason, const char* detail) {
    refuse(refusal(reason, detail));
    return false;
  };
  const std::string_view rest = std::string_view(bytes_).substr(read_);
  if (rest.empty()) return false;
  // Each byte of the header is judged when it is there: what is no TLS need not be waited for.
  if (rest[0] != kHandshake) return fail(read_ == 0 ? Reason::not_tls : Reason::malformed, "this is no TLS hello");
  const bool is_version =
      (rest.size() < 2 || rest[1] == 3) && (rest.size() < 3 || static_cast<unsigned char>(rest[2]) <= 4);
  if (!is_version) return fail(Reason::not_tls, "this is no version of TLS");
  if (rest.size() < kRecordHeader) return false;
  const std::size_t size = big_endian(rest.substr(3, 2));
  if (size == 0 || size > kLargestFragment)
    return fail(Reason::malformed, "a TLS record is empty or larger than 16 KiB");
  if (rest.size() < kRecordHeader + size) return false;
  read_ += kRecordHeader + size;
  take_fragment(rest.substr(kRecordHeader, size));
  return true;
}

void ClientHelloReader::take_fragment(std::string_view fragment) {
  message_ += fragment;
  if (message_[0] != kClientHello) return refuse(malformed("the first TLS message is no hello"));
  if (message_.size() < kMessageHeader) return;
  const std::size_t size = big_endian(std::string_view(message_).substr(1, 3));
  if (size > kLargestHello) return refuse(refusal(Reason::too_large, "the TLS hello is larger than 16 KiB"));
  if (message_.size() < kMessageHeader + size) return;
  if (message_.size() > kMessageHeader + size) return refuse(malformed("a TLS message follows the hello at once"));
  auto hello = read_client_hello(std::string_view(message_).substr(kMessageHeader));
  if (auto* fault = std::get_if<Denial>(&hello)) return refuse(std::move(*fault));
  hello_ = std::get<ClientHello>(std::move(hello));
  state_ = State::done;
}

std::string_view access_denied_alert() { return {"\x15\x03\x03\x00\x02\x02\x31", 7}; }
std::string_view internal_error_alert() { return {"\x15\x03\x03\x00\x02\x02\x50", 7}; }

}  // namespace agentctl::egress
