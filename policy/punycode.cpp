// SPDX-License-Identifier: Apache-2.0
#include "policy/punycode.h"

#include <cstdint>

namespace agentctl::policy {
namespace {

// RFC 3492, 5.
constexpr std::uint32_t kBase = 36;
constexpr std::uint32_t kTMin = 1;
constexpr std::uint32_t kTMax = 26;
constexpr std::uint32_t kSkew = 38;
constexpr std::uint32_t kDamp = 700;
constexpr std::uint32_t kInitialBias = 72;
constexpr std::uint32_t kInitialN = 0x80;
constexpr std::uint32_t kLastControl = 0x9f;
constexpr std::uint32_t kLastCodePoint = 0x10ffff;

// Neither a control, nor a surrogate, nor past the end of Unicode; ASCII needs no punycode.
bool is_letter(std::uint32_t point) {
  return point > kLastControl && point <= kLastCodePoint && (point < 0xd800 || point > 0xdfff);
}

std::optional<std::uint32_t> digit(char letter) {
  if (letter >= 'a' && letter <= 'z') return static_cast<std::uint32_t>(letter - 'a');
  if (letter >= 'A' && letter <= 'Z') return static_cast<std::uint32_t>(letter - 'A');
  if (letter >= '0' && letter <= '9') return static_cast<std::uint32_t>(letter - '0') + 26;
  return std::nullopt;
}

std::uint32_t adapt(std::uint32_t delta, std::uint32_t points, bool is_first) {
  delta = is_first ? delta / kDamp : delta / 2;
  delta += delta / points;
  std::uint32_t k = 0;
  for (; delta > (kBase - kTMin) * kTMax / 2; k += kBase) delta /= kBase - kTMin;
  return k + (kBase - kTMin + 1) * delta / (delta + kSkew);
}

std::uint32_t threshold(std::uint32_t k, std::uint32_t bias) {
  if (k <= bias + kTMin) return kTMin;
  return k >= bias + kTMax ? kTMax : k - bias;
}

// One generalized variable-length integer off the front of `text`, added to `sum`.
bool take_delta(std::string_view& text, std::uint32_t bias, std::uint32_t& sum) {
  std::uint32_t weight = 1;
  for (std::uint32_t k = kBase;; k += kBase) {
    if (text.empty()) return false;
    const auto value = digit(text[0]);
    text.remove_prefix(1);
    std::uint32_t product = 0;
    if (!value || __builtin_mul_overflow(*value, weight, &product) || __builtin_add_overflow(sum, product, &sum)) {
      return false;
    }
    const std::uint32_t t = threshold(k, bias);
    if (*value < t) return true;
    if (__builtin_mul_overflow(weight, kBase - t, &weight)) return false;
  }
}

}  // namespace

std::optional<std::vector<char32_t>> decode_punycode(std::string_view text) {
  std::vector<char32_t> points;
  if (const std::size_t end = text.rfind('-'); end != std::string_view::npos) {
    for (const char letter : text.substr(0, end)) {
      if (static_cast<unsigned char>(letter) >= kInitialN) return std::nullopt;
      points.push_back(static_cast<char32_t>(letter));
    }
    text.remove_prefix(end + 1);
    if (points.empty()) return std::nullopt;  // a delimiter needs something before it
  }
  if (text.empty()) return std::nullopt;
  std::uint32_t n = kInitialN;
  std::uint32_t bias = kInitialBias;
  std::uint32_t i = 0;
  while (!text.empty()) {
    const std::uint32_t before = i;
    if (!take_delta(text, bias, i)) return std::nullopt;
    const auto count = static_cast<std::uint32_t>(points.size() + 1);
    bias = adapt(i - before, count, before == 0);
    if (__builtin_add_overflow(n, i / count, &n) || !is_letter(n)) return std::nullopt;
    i %= count;
    points.insert(points.begin() + static_cast<std::ptrdiff_t>(i), static_cast<char32_t>(n));
    ++i;
  }
  return points;
}

}  // namespace agentctl::policy
