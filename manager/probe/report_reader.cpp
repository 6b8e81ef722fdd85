// SPDX-License-Identifier: Apache-2.0
#include "manager/probe/report_reader.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace agentctl::probe {
namespace {

constexpr std::size_t kLongestLine = 1024;
constexpr std::size_t kMostItems = 1000;

std::optional<Finding> parse_finding(std::string_view word) {
  if (word == "blocked") return Finding::blocked;
  if (word == "open") return Finding::open;
  if (word == "skip") return Finding::skip;
  if (word == "crash") return Finding::crash;
  return std::nullopt;
}

// The higher the worse.
int badness(Finding finding) {
  switch (finding) {
    case Finding::open:
      return 3;
    case Finding::crash:
      return 2;
    case Finding::skip:
      return 1;
    case Finding::blocked:
      return 0;
  }
  return 0;
}

bool is_name(std::string_view word) {
  return !word.empty() && std::all_of(word.begin(), word.end(), [](char character) {
    return (character >= 'a' && character <= 'z') || (character >= '0' && character <= '9') || character == '-';
  });
}

std::string_view take_word(std::string_view& rest) {
  const std::size_t end = rest.find(' ');
  const std::string_view word = rest.substr(0, end);
  rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
  return word;
}

}  // namespace

ReportReader::ReportReader(std::string tag, Evidence& evidence, std::function<void(std::string_view)> on_wait)
    : tag_(std::move(tag)), evidence_(evidence), on_wait_(std::move(on_wait)) {}

void ReportReader::pass(std::string_view output) {
  for (const char character : output) {
    if (character == '\n') {
      if (!overlong_) take(line_);
      line_.clear();
      overlong_ = false;
    } else if (line_.size() < kLongestLine) {
      line_ += character;
    } else {
      overlong_ = true;
    }
  }
}

void ReportReader::take(std::string_view line) {
  const std::size_t at = line.find(cat(tag_, " "));
  if (tag_.empty() || at == std::string_view::npos) return;
  std::string_view rest = line.substr(at + tag_.size() + 1);
  while (rest.ends_with('\r')) rest.remove_suffix(1);
  const std::string_view word = take_word(rest);
  const std::string_view name = take_word(rest);
  if (!is_name(name)) return;
  if (word == "wait") return on_wait_(name);
  if (word == "end") {
    evidence_.ended = true;
    return;
  }
  const auto finding = parse_finding(word);
  if (!finding) return;
  const auto known = evidence_.lines.find(name);
  if (known == evidence_.lines.end()) {
    if (evidence_.lines.size() < kMostItems) evidence_.lines[std::string(name)] = {*finding, printable(rest)};
  } else if (badness(*finding) > badness(known->second.finding)) {
    known->second = {*finding, printable(rest)};
  }
}

}  // namespace agentctl::probe
