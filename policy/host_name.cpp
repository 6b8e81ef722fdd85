// SPDX-License-Identifier: Apache-2.0
#include "policy/host_name.h"

#include <algorithm>

#include "base/text.h"
#include "policy/punycode.h"

namespace agentctl::policy {
namespace {

Error refuse(std::string message) { return make_error(ErrorKind::policy, std::move(message)); }

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_plain(char c) { return (c >= 'a' && c <= 'z') || is_digit(c) || c == '-' || c == '_'; }

Result<void> check_label(std::string_view label) {
  if (label.empty()) return refuse("must not have an empty label (two dots, or one at the start)");
  if (label.size() > kLongestLabel) return refuse("must not have a label of more than 63 bytes");
  const auto odd = std::find_if_not(label.begin(), label.end(), is_plain);
  if (odd != label.end() && static_cast<unsigned char>(*odd) >= 0x80) {
    return refuse("must be ASCII: a name in other letters is written as the DNS has it, 'xn--…'");
  }
  if (odd != label.end()) return refuse(cat("must not hold '", printable({&*odd, 1}), "'"));
  if (label.starts_with('-') || label.ends_with('-')) return refuse("must not have a label with '-' at an end");
  constexpr std::string_view kAce = "xn--";
  if (label.starts_with(kAce) && !decode_punycode(label.substr(kAce.size()))) {
    return refuse("must not have a label 'xn--…' that spells no letters");
  }
  return {};
}

}  // namespace

bool HostName::is_below(const HostName& ancestor) const {
  const std::string& tail = ancestor.text_;
  return text_.size() > tail.size() + 1 && text_.ends_with(tail) && text_[text_.size() - tail.size() - 1] == '.';
}

bool is_localhost(const HostName& name) { return name.text() == "localhost" || name.text().ends_with(".localhost"); }

bool ends_in_number(std::string_view text) {
  if (text.ends_with('.')) text.remove_suffix(1);
  const std::size_t dot = text.rfind('.');
  const std::string_view last = dot == std::string_view::npos ? text : text.substr(dot + 1);
  if (last.starts_with("0x") || last.starts_with("0X")) return true;
  return !last.empty() && std::all_of(last.begin(), last.end(), is_digit);
}

Result<HostName> parse_host_name(std::string_view text) {
  if (text.ends_with('.')) text.remove_suffix(1);
  if (text.empty()) return refuse("must not be empty");
  if (text.size() > kLongestHostName) return refuse("must not be longer than 253 bytes");
  std::string name = ascii_lower(text);
  Result<void> checked;
  for_each_part(name, '.', [&](std::string_view label) {
    if (checked) checked = check_label(label);
  });
  if (!checked) return std::move(checked).error();
  if (ends_in_number(name)) return refuse("must be a name, or an address of four decimal numbers");
  return HostName(std::move(name));
}

}  // namespace agentctl::policy
