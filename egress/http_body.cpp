// SPDX-License-Identifier: Apache-2.0
#include "egress/http_body.h"

#include <algorithm>
#include <optional>

namespace agentctl::egress {
namespace {

constexpr unsigned kMostDigits = 15;  // hexadecimal, of a chunk's size

std::optional<unsigned> hex_digit(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a') + 10;
  if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A') + 10;
  return std::nullopt;
}

}  // namespace

HttpBody::HttpBody(const HttpFraming& framing)
    : is_chunked_(framing.kind == HttpFraming::Kind::chunked),
      step_(is_chunked_ ? Step::size : Step::data),
      left_(framing.kind == HttpFraming::Kind::length ? framing.length : 0) {
  if (!is_chunked_ && left_ == 0) step_ = Step::done;
}

HttpBody::State HttpBody::state() const {
  if (step_ == Step::done) return State::done;
  return step_ == Step::refused ? State::refused : State::more;
}

void HttpBody::skip(std::uint64_t bytes) {
  left_ -= std::min(bytes, left_);
  if (left_ == 0) step_ = is_chunked_ ? Step::data_cr : Step::done;
}

HttpBody::Step HttpBody::after(char byte) {
  if (step_ == Step::size) {
    if (const auto digit = hex_digit(byte); digit && digits_ < kMostDigits) {
      left_ = left_ * 16 + *digit;
      ++digits_;
      return Step::size;
    }
    return byte == '\r' && digits_ > 0 ? Step::size_end : Step::refused;
  }
  if (step_ == Step::data_cr || step_ == Step::last_cr) {
    if (byte != '\r') return Step::refused;
    return step_ == Step::data_cr ? Step::data_lf : Step::last_lf;
  }
  if (byte != '\n') return Step::refused;
  digits_ = 0;
  if (step_ == Step::size_end) return left_ > 0 ? Step::data : Step::last_cr;
  return step_ == Step::data_lf ? Step::size : Step::done;
}

std::size_t HttpBody::feed(std::string_view bytes) {
  std::size_t used = 0;
  while (used < bytes.size() && state() == State::more) {
    if (step_ == Step::data) {
      const std::uint64_t some = std::min<std::uint64_t>(left_, bytes.size() - used);
      skip(some);
      used += static_cast<std::size_t>(some);
    } else {
      step_ = after(bytes[used]);
      if (step_ != Step::refused) ++used;
    }
  }
  return used;
}

}  // namespace agentctl::egress
