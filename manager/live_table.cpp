// SPDX-License-Identifier: Apache-2.0
#include "manager/live_table.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <utility>

#include "base/quantity.h"
#include "base/text.h"

namespace agentctl::manager {
namespace {

constexpr std::size_t kMostName = 20;
constexpr std::size_t kLeastName = 8;
constexpr std::size_t kStateWidth = 8;
constexpr std::size_t kMeters = 3;
// "999.9M/8.0G", "150%/700%", "12/4096": the columns stand still while figures grow.
constexpr std::array<std::size_t, kMeters> kLeastValues = {11, 9, 7};
constexpr std::size_t kAroundBar = 3;  // "[", "] "
constexpr std::size_t kLeastBar = 3;
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

void add_meter(Line& line, const Meter& shown, std::size_t width, std::size_t bar, bool has_colours) {
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
  line.add(shown.value, width);
  line.add(" ", 1);
}

struct Row {
  std::string name, state, age;
  std::array<Meter, kMeters> meters;
};

// As wide as what stands in them: figures come before bars, and bars before the end of a long name.
struct Columns {
  std::size_t name = kLeastName;
  std::size_t age = 4;
  std::array<std::size_t, kMeters> values = kLeastValues;
  std::size_t bar = 0;

  Columns(const std::vector<Row>& rows, std::size_t window) {
    for (const Row& row : rows) {
      name = std::max(name, std::min(row.name.size(), kMostName));
      age = std::max(age, row.age.size());
      for (std::size_t at = 0; at < kMeters; ++at) values[at] = std::max(values[at], row.meters[at].value.size());
    }
    const std::size_t spaces = 3 + kMeters - 1;
    const std::size_t fixed = kStateWidth + age + std::accumulate(values.begin(), values.end(), spaces);
    const std::size_t bars = kMeters * (kAroundBar + kLeastBar);
    const std::size_t room = window > fixed ? window - fixed : 0;
    if (room < name + bars && room >= kLeastName + bars) name = room - bars;
    if (room < name) name = std::max(room, kLeastName);
    const std::size_t each = room > name ? (room - name) / kMeters : 0;
    bar = each < kAroundBar + kLeastBar ? 0 : std::min(each - kAroundBar, kMostBar);
  }
};

// As top(1) marks a name that goes on.
std::string cut(const std::string& name, std::size_t width) {
  return name.size() <= width ? name : cat(std::string_view(name).substr(0, width - 1), "+");
}

std::string head(const Window& window, const Columns& columns) {
  Line line(window.columns);
  if (window.has_colours) line.style(kBold);
  line.add("NAME", columns.name + 1);
  line.add("STATE", kStateWidth + 1);
  line.add("AGE", columns.age + 1);
  constexpr std::array<std::string_view, kMeters> kTitles = {"MEMORY", "CPU", "TASKS"};
  for (std::size_t at = 0; at < kMeters; ++at) {
    line.add(kTitles[at], (columns.bar > 0 ? columns.bar + kAroundBar : 0) + columns.values[at] + 1);
  }
  if (window.has_colours) line.style(kPlain);
  return line.take();
}

std::string draw_row(const Row& row, const Columns& columns, const Window& window) {
  Line line(window.columns);
  line.add(cut(row.name, columns.name), columns.name);
  line.add(" ", 1);
  line.add(row.state, kStateWidth);
  line.add(" ", 1);
  line.add(row.age, columns.age);
  line.add(" ", 1);
  for (std::size_t at = 0; at < kMeters; ++at) {
    add_meter(line, row.meters[at], columns.values[at], columns.bar, window.has_colours);
  }
  return line.take();
}

std::string age(std::uint64_t started_usec, std::uint64_t now_usec) {
  return now_usec < started_usec ? "-" : format_duration((now_usec - started_usec) / 1'000'000U * 1'000'000U);
}

}  // namespace

std::vector<std::string> LiveTable::draw(const std::vector<SessionView>& views, const Window& window,
                                         std::uint64_t now_usec, std::uint64_t monotonic_usec) {
  std::vector<Row> rows;
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
    if (rows.size() >= room) continue;
    const units::EffectiveLimits& limits = view.effective;
    rows.push_back({view.record.name,
                    view.state,
                    age(view.record.started_usec, now_usec),
                    {meter(view.usage.memory, limits.memory_max, format_size),
                     meter(cpu, limits.cpu_quota_per_sec_usec, percent_of_cpu),
                     meter(view.usage.tasks, limits.tasks_max, format_count)}});
  }
  before_ = std::move(seen);
  const Columns columns(rows, window.columns);
  std::vector<std::string> lines;
  for (const Row& row : rows) lines.push_back(draw_row(row, columns, window));
  if (views.size() > lines.size()) lines.push_back(cat("and ", views.size() - lines.size(), " more"));
  if (views.empty()) lines.emplace_back("no session is running");
  lines.insert(lines.begin(), head(window, columns));
  lines.resize(std::min(lines.size(), std::max<std::size_t>(window.rows, 1)));
  for (std::string& line : lines) {
    if (!window.has_colours && line.size() > window.columns) line.resize(window.columns);
  }
  return lines;
}

}  // namespace agentctl::manager
