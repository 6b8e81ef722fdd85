// SPDX-License-Identifier: Apache-2.0
#include "manager/sequence_numbers.h"

namespace agentctl::manager {
namespace {

constexpr int kMost = 32767;

// -1: no number.
int to_number(std::string_view digits) {
  int number = 0;
  for (const char digit : digits) {
    if (digit < '0' || digit > '9') return -1;
    number = number * 10 + (digit - '0');
    if (number > kMost) return -1;
  }
  return number;
}

}  // namespace

std::optional<std::vector<int>> sequence_numbers(std::string_view parameters) {
  std::vector<int> numbers;
  if (parameters.empty()) return numbers;
  while (true) {
    const std::size_t cut = parameters.find(';');
    std::string_view part = parameters.substr(0, cut);
    for (bool is_first = true;; is_first = false) {
      const std::size_t colon = part.find(':');
      const int number = to_number(part.substr(0, colon));
      if (number < 0) return std::nullopt;
      if (is_first) numbers.push_back(number);
      if (colon == std::string_view::npos) break;
      part.remove_prefix(colon + 1);
    }
    if (cut == std::string_view::npos) return numbers;
    parameters.remove_prefix(cut + 1);
  }
}

}  // namespace agentctl::manager
