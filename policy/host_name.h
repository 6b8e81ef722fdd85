// SPDX-License-Identifier: Apache-2.0
// HostName: a DNS name in the one spelling in which names are compared here: lower-case ASCII labels, joined by dots,
// without a dot at the end. Pure, and strict on purpose: whatever two programs could read as two different hosts
// (percent-encoding, user information, ports, full-width dots, numbers that are addresses to some) is no name. Names
// beyond ASCII must arrive as "xn--…". What it does not protect against: two names that look alike to people.
#pragma once

#include <compare>
#include <string>
#include <string_view>

#include "base/result.h"

namespace agentctl::policy {

class HostName {
 public:
  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] bool has_one_label() const { return text_.find('.') == std::string::npos; }
  // Whether the labels of `ancestor` are this name's last ones and there are more before them.
  [[nodiscard]] bool is_below(const HostName& ancestor) const;

  friend auto operator<=>(const HostName&, const HostName&) = default;

 private:
  friend Result<HostName> parse_host_name(std::string_view text);
  explicit HostName(std::string text) : text_(std::move(text)) {}
  std::string text_;
};

inline constexpr std::size_t kLongestHostName = 253;
inline constexpr std::size_t kLongestLabel = 63;

// "Example.COM" and "example.com." are "example.com". Errors (kind policy) hold only the fault: "must not hold ' '".
[[nodiscard]] Result<HostName> parse_host_name(std::string_view text);

[[nodiscard]] bool is_localhost(const HostName& name);  // or below it: the loopback (RFC 6761, 6.3)

// Whether some readers take the name for an IPv4 address: its last label is a number (WHATWG URL, "ends in a number").
[[nodiscard]] bool ends_in_number(std::string_view text);

}  // namespace agentctl::policy
