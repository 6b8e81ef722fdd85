// SPDX-License-Identifier: Apache-2.0
// DnsStream: cuts the bytes of a TCP connection into DNS messages, each with its length before it (RFC 1035, 4.2.2).
// Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace agentctl::egress {

class DnsStream {
 public:
  void feed(std::string_view bytes) { bytes_ += bytes; }
  // The next whole message; nothing when there is none yet.
  [[nodiscard]] std::optional<std::string> next();
  // Whether what comes can be no query: the connection is to be closed.
  [[nodiscard]] bool is_broken() const { return is_broken_; }

 private:
  std::string bytes_;
  bool is_broken_ = false;
};

[[nodiscard]] std::string framed_dns(std::string_view message);  // with its length before it

}  // namespace agentctl::egress
