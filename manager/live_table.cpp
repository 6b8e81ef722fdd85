// SPDX-License-Identifier: Apache-2.0
#include "manager/live_table.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/quantity.h"
#include "base/text.h"

namespace agentctl::manager {
namespace {

constexpr std::size_t kNameWidth = 20;
constexpr std::size_t kStateWidth = 8;
constexpr std::size_t kAgeWidth = 12;
constexpr std::size_t kValueWidth = 15;  // "1023.9M/1023.9M"
constexpr std::size_t kMeters = 3;
constexpr std::size_t kLeastBar = 4;
constexpr std::size_t kMostBar = 20;
constexpr unsigned kWarm = 60;  // per cent of the limit
constexpr unsigned kHot = 85;

constexpr const char* kBold = "\x1b[1m";
constexpr const char* kPlain = "\x1b[m";

// A line that knows how many columns it fills, whatever colours are in it, and takes no more than there are.
class Line {
 public:
  explicit Line(std::size_t columns) : left_(columns) {}

  void add(std::string_view text, std::size_t width) {
    const std::string_view shown = text.substr(0, std::min(width, left_));
    text_ += shown;
    const std::size_t padding = std::min(width, left_) - shown.size();
    text_ += std::string(padding, ' ');
    left_ -= shown.size() + padding;
  }
  void style(const char* sequence) { text_ += sequence; }
  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  std::string text_;
  std::size_t left_;
};

struct Meter {
  std::string value;                // "1.2G/8.0G"
  std::optional<unsigned> percent;  // of the limit; none: there is no limit, or no figure
};

std::optional<unsigned> share(std::optional<std::uint64_t> used, std::optional<std::uint64_t> limit) {
  if (!used || !limit || *limit == 0 || *limit == kInfinity) return std::nullopt;
  if (*used >= *limit) return 100;
  const std::uint64_t percent = *limit > UINT64_MAX / 100 ? *used / (*limit / 100) : *used * 100 / *limit;
  return static_cast<unsigned>(percent);
}

template <typename Format>
Meter meter(std::optional<std::uint64_t> used, std::optional<std::uint64_t> limit, Format format) {
  return {cat(used ? format(*used) : "-", "/", limit ? (*limit == kInfinity ? "no limit" : format(*limit)) : "-"),
          share(used, limit)};
}

std::string percent_of_cpu(std::uint64_t usec_per_sec) { return cat(usec_per_sec / 10'000U, "%"); }

void add_meter(Line& line, const Meter& shown, std::size_t bar, bool has_colours) {
  if (bar > 0) {
    const std::size_t filled = shown.percent ? (*shown.percent * bar + 99) / 100 : 0;
    const unsigned percent = shown.percent.value_or(0);
    line.add("[", 1);
    if (has_colours) line.style(percent >= kHot ? "\x1b[31m" : percent >= kWarm ? "\x1b[33m" : "\x1b[32m");
    line.add(std::string(filled, '#'), filled);
    if (has_colours) line.style(kPlain);
    line.add("", bar - filled);
    line.add("] ", 2);
  }
  line.add(shown.value, kValueWidth);
  line.add(" ", 1);
}

std::size_t bar_width(std::size_t columns) {
  constexpr std::size_t kFixed = kNameWidth + kStateWidth + kAgeWidth + 3 + kMeters * (kValueWidth + 4);
  const std::size_t each = columns > kFixed ? (columns - kFixed) / kMeters : 0;
  return each < kLeastBar ? 0 : std::min(each, kMostBar);
}

std::string head(const Window& window, std::size_t bar) {
  Line line(window.columns);
  if (window.has_colours) line.style(kBold);
  line.add("NAME", kNameWidth + 1);
  line.add("STATE", kStateWidth + 1);
  line.add("AGE", kAgeWidth + 1);
  const std::size_t width = (bar > 0 ? bar + 3 : 0) + kValueWidth + 1;
  for (const char* title : {"MEMORY", "CPU", "TASKS"}) line.add(title, width);
  if (window.has_colours) line.style(kPlain);
  return line.take();
}

std::string age(std::uint64_t started_usec, std::uint64_t now_usec) {
  return now_usec < started_usec ? "-" : format_duration((now_usec - started_usec) / 1'000'000U * 1'000'000U);
}

}  // namespace

std::vector<std::string> LiveTable::draw(const std::vector<SessionView>& views, const Window& window,
                                         std::uint64_t now_usec, std::uint64_t monotonic_usec) {
  const std::size_t bar = bar_width(window.columns);
  std::vector<std::string> lines;
  std::map<std::string, Sample> seen;
  const std::size_t room = window.rows > 3 ? window.rows - 3 : 1;  // head, what is left out, keys
  for (const SessionView& view : views) {
    std::optional<std::uint64_t> cpu;  // microseconds a second
    if (const auto used = view.usage.cpu_usec) {
      const auto before = before_.find(view.record.id);
      const bool is_later = before != before_.end() && monotonic_usec > before->second.at_usec;
      if (is_later && *used >= before->second.cpu_usec)
        cpu = (*used - before->second.cpu_usec) * 1'000'000U / (monotonic_usec - before->second.at_usec);
      seen[view.record.id] = {*used, monotonic_usec};
    }
    if (lines.size() >= room) continue;
    Line line(window.columns);
    line.add(view.record.name, kNameWidth);
    line.add(" ", 1);
    line.add(view.state, kStateWidth);
    line.add(" ", 1);
    line.add(age(view.record.started_usec, now_usec), kAgeWidth);
    line.add(" ", 1);
    const units::EffectiveLimits& limits = view.effective;
    add_meter(line, meter(view.usage.memory, limits.memory_max, format_size), bar, window.has_colours);
    add_meter(line, meter(cpu, limits.cpu_quota_per_sec_usec, percent_of_cpu), bar, window.has_colours);
    add_meter(line, meter(view.usage.tasks, limits.tasks_max, format_count), bar, window.has_colours);
    lines.push_back(line.take());
  }
  before_ = std::move(seen);
  if (views.size() > lines.size()) lines.push_back(cat("and ", views.size() - lines.size(), " more"));
  if (views.empty()) lines.emplace_back("no session is running");
  lines.insert(lines.begin(), head(window, bar));
  lines.resize(std::min(lines.size(), std::max<std::size_t>(window.rows, 1)));
  for (std::string& line : lines) {
    if (!window.has_colours && line.size() > window.columns) line.resize(window.columns);
  }
  return lines;
}

}  // namespace agentctl::manager
