// SPDX-License-Identifier: Apache-2.0
#include "egress/http_status.h"

#include <algorithm>

#include "egress/http_head.h"

namespace agentctl::egress {
namespace {

// "HTTP/1.1 200 OK": 200. 0 when it is none.
unsigned read_status(std::string_view line) {
  constexpr std::size_t kVersion = 9;  // "HTTP/1.x "
  if (line.size() < kVersion + 3 || !(line.starts_with("HTTP/1.1 ") || line.starts_with("HTTP/1.0 "))) return 0;
  const std::string_view digits = line.substr(kVersion, 3);
  const bool is_number = std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; });
  const bool is_whole = line.size() == kVersion + 3 || line[kVersion + 3] == ' ';
  if (!is_number || !is_whole || digits[0] < '1' || digits[0] > '5') return 0;
  unsigned status = 0;
  for (const char digit : digits) status = status * 10 + static_cast<unsigned>(digit - '0');
  return status;
}

}  // namespace

std::size_t HttpStatusReader::feed(std::string_view bytes) {
  std::size_t used = 0;
  while (state_ == State::more && used < bytes.size()) {
    const std::size_t end = bytes.find('\n', used);
    const std::string_view piece = bytes.substr(used, end == std::string_view::npos ? end : end + 1 - used);
    if (piece.size() > kLargestHead - head_.size()) {
      state_ = State::refused;
      break;
    }
    head_ += piece;
    used += piece.size();
    if (end == std::string_view::npos) break;
    const std::string_view line = std::string_view(head_).substr(line_start_);
    const bool is_first = line_start_ == 0;
    line_start_ = head_.size();
    if (!line.ends_with("\r\n")) {
      state_ = State::refused;
    } else if (is_first) {
      status_ = read_status(line.substr(0, line.size() - 2));
      if (status_ == 0) state_ = State::refused;
    } else if (line.size() == 2) {
      state_ = State::done;
    }
  }
  return used;
}

}  // namespace agentctl::egress
