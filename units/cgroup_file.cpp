// SPDX-License-Identifier: Apache-2.0
#include "units/cgroup_file.h"

#include <charconv>

#include "base/file.h"
#include "base/quantity.h"
#include "base/text.h"

namespace agentctl::units {
namespace {

// PAGE_COUNTER_MAX in bytes: what v1 shows for "no limit" is this, rounded down to a page of at most 64 KiB.
constexpr std::uint64_t kV1Unlimited = 0x7FFF'FFFF'FFFF'0000;

}  // namespace

std::optional<std::string> read_text(const UniqueFd& dir, const char* file) {
  if (!dir.valid()) return std::nullopt;
  auto text = read_file_at(dir.get(), file);
  if (!text) return std::nullopt;
  return std::move(*text);
}

std::optional<std::uint64_t> parse_number(std::string_view text) {
  text = trim(text);
  if (text == "max") return kInfinity;
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value >= kV1Unlimited ? kInfinity : value;
}

std::optional<std::uint64_t> read_number(const UniqueFd& dir, const char* file) {
  const auto text = read_text(dir, file);
  return text ? parse_number(*text) : std::nullopt;
}

std::optional<std::uint64_t> find_value(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(line.size() < text.size() ? line.size() + 1 : line.size());
    if (line.size() > key.size() && line.starts_with(key) && line[key.size()] == ' ') {
      return parse_number(line.substr(key.size() + 1));
    }
  }
  return std::nullopt;
}

}  // namespace agentctl::units
