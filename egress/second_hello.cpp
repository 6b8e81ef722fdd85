// SPDX-License-Identifier: Apache-2.0
#include "egress/second_hello.h"

#include <algorithm>

#include "egress/byte_cursor.h"

namespace agentctl::egress {
namespace {

constexpr std::size_t kRecordHeader = 5;
constexpr std::size_t kLargestFragment = (1 << 14) + 256;  // with what encryption adds (RFC 8446, 5.2)
constexpr std::uint8_t kChangeCipherSpec = 20;
constexpr std::uint8_t kAlert = 21;
constexpr std::uint8_t kHandshake = 22;
constexpr std::uint8_t kApplicationData = 23;
constexpr char kClientHello = 1;
constexpr std::uint8_t kServerHello = 2;
constexpr std::size_t kAnswerSize = kRecordHeader + 4 + 2 + 32;  // up to the end of the server's random
// A server's random that asks for another hello: SHA-256 of "HelloRetryRequest" (RFC 8446, 4.1.3).
constexpr std::string_view kRetry =
    "\xcf\x21\xad\x74\xe5\x9a\x61\x11\xbe\x1d\x8c\x02\x1e\x65\xb8\x91\xc2\xa2\x11\x16\x7a\xbb\x8c\x5e\x07\x9e\x09\xe2"
    "\xc8\xa8\x33\x9c";

}  // namespace

void SecondHello::look_at_answer(std::string_view bytes) {
  if (state_ != State::watching || is_answer_known_) return;
  answer_ += bytes.substr(0, kAnswerSize - answer_.size());
  const bool is_hello = answer_.empty() || static_cast<std::uint8_t>(answer_[0]) == kHandshake;
  if (is_hello && answer_.size() < kAnswerSize) return;
  is_answer_known_ = true;
  ByteCursor cursor(answer_);
  (void)cursor.take(kRecordHeader);
  const bool asks_again = is_hello && cursor.u8() == kServerHello && cursor.u24() > 0 && cursor.u16() != 0 &&
                          cursor.take(kRetry.size()) == kRetry;
  if (!asks_again) state_ = State::over;
}

void SecondHello::pass(std::string_view bytes, std::string& out) {
  held_ += bytes;
  while (state_ == State::watching && take_record(out)) {
  }
  if (state_ != State::over) return;
  out += held_;
  held_.clear();
}

// Whether there was something to take.
bool SecondHello::take_record(std::string& out) {
  const std::size_t known = std::min(unheld_, held_.size());
  out += held_.substr(0, known);
  held_.erase(0, known);
  unheld_ -= known;
  if (unheld_ > 0 || held_.size() < kRecordHeader) return false;
  ByteCursor cursor(held_);
  const std::uint8_t type = cursor.u8();
  (void)cursor.u16();
  const std::size_t size = cursor.u16();
  const bool is_known = type == kChangeCipherSpec || type == kAlert || type == kHandshake || type == kApplicationData;
  if (!is_known || size == 0 || size > kLargestFragment) {
    refuse(refusal(Reason::malformed, "what follows the TLS hello is no TLS"));
    return false;
  }
  if (type == kHandshake && held_.size() == kRecordHeader) return false;
  if (type == kHandshake && held_[kRecordHeader] == kClientHello) {
    take_hello(out);
    return false;
  }
  unheld_ = kRecordHeader + size;
  return true;
}

// A hello is at most kLargestHello long, so that reading it anew with each piece costs little.
void SecondHello::take_hello(std::string& out) {
  ClientHelloReader reader;
  (void)reader.feed(held_);
  if (reader.state() == ClientHelloReader::State::more) return;
  if (reader.state() == ClientHelloReader::State::refused) return refuse(reader.denial());
  if (reader.hello().server_name != first_name_) {
    return refuse(refusal(Reason::server_name, "TLS names another host in its second hello"));
  }
  out += held_;
  held_.clear();
  state_ = State::over;  // there is no third
}

}  // namespace agentctl::egress
