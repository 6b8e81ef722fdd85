// SPDX-License-Identifier: Apache-2.0
#include "policy/nearest_name.h"

#include <algorithm>
#include <vector>

#include "base/text.h"

namespace agentctl::policy {
namespace {

constexpr std::size_t kLongestWord = 64;  // the work grows with the square, and the word may come from anybody

std::string fold(std::string_view word) {
  std::string out;
  for (const char letter : word) {
    const bool is_upper = letter >= 'A' && letter <= 'Z';
    out += letter == '_' ? '-' : is_upper ? static_cast<char>(letter - 'A' + 'a') : letter;
  }
  return out;
}

// Optimal string alignment distance, three rows at a time.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t cost = a[i - 1] == b[j - 1] ? 0 : 1;
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + cost});
      const bool is_swap = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (is_swap) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

}  // namespace

std::string_view nearest_name(std::string_view word, std::span<const std::string_view> known) {
  if (word.size() > kLongestWord) return {};
  const std::string folded = fold(word);
  // What was cut short is likelier than a slip.
  constexpr std::size_t kLeastBeginning = 3;
  const auto begins = [&](std::string_view name) { return name.starts_with(folded); };
  if (folded.size() >= kLeastBeginning && std::count_if(known.begin(), known.end(), begins) == 1) {
    return *std::find_if(known.begin(), known.end(), begins);
  }
  std::string_view best;
  std::size_t fewest = std::max<std::size_t>(folded.size() / 3, 1) + 1;
  for (const std::string_view name : known) {
    const std::size_t edits = distance(folded, name);
    if (edits >= fewest) continue;
    fewest = edits;
    best = name;
  }
  return best;
}

std::string did_you_mean(std::string_view word, std::span<const std::string_view> known) {
  const std::string_view name = nearest_name(word, known);
  return name.empty() ? std::string() : cat("; did you mean '", name, "'?");
}

}  // namespace agentctl::policy
