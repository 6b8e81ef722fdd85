// SPDX-License-Identifier: Apache-2.0
#include "manager/service/notification.h"

#include <algorithm>

#include "base/quantity.h"
#include "base/text.h"

namespace agentctl::manager::service {
namespace {

constexpr std::size_t kMostLines = 4;

bool is_detached(const Record& record) { return record.parent_kind == "manager"; }

// How it ended: what receipt_line() says between the name and the figures.
std::string describe_end(const JsonValue& receipt) {
  std::string_view summary = receipt["summary"].text;
  const std::string name = cat(receipt["name"].text, ": ");
  if (summary.starts_with(name)) summary.remove_prefix(name.size());
  return std::string(summary.substr(0, summary.find("; ")));
}

bool deserves_word(const Record& record, const JsonValue& receipt) {
  if (receipt["killed_by_memory_limit"].text == "true") return true;
  const std::string& cause = receipt["cause"].text;
  if (cause == "time-limit" || cause == "mask-lost" || cause == "supervisor-lost") return true;
  // Who is before the terminal, or the tool that started it, sees how it ends. The parent that was named is somebody
  // else's; the caller's own death is the closed terminal.
  if (cause == "parent-died") return record.parent_kind != "caller";
  return cause == "exited" && is_detached(record);
}

std::optional<Notification> ended(const SessionEvent& event) {
  if (!event.receipt || !deserves_word(event.now, event.receipt->value)) return std::nullopt;
  const JsonValue& receipt = event.receipt->value;
  Notification notification;
  notification.key = event.now.id;
  notification.subject = event.now.name;
  notification.lines = {describe_end(receipt), event.now.project};
  if (receipt["killed_by_memory_limit"].text == "true") {
    notification.kind = NotificationKind::memory;
    notification.title = cat("Session killed: ", event.now.name);
    notification.critical = true;
  } else {
    notification.title = cat("Session ended: ", event.now.name);
  }
  return notification;
}

Notification process_killed(const Record& record, std::optional<std::uint64_t> memory_peak) {
  Notification notification;
  notification.kind = NotificationKind::memory;
  notification.key = record.id;
  notification.subject = record.name;
  notification.title = cat("Process killed in ", record.name);
  const std::string limit = format_size(record.limits.memory_max);
  notification.lines = {memory_peak ? cat("killed by the memory limit: peak ", format_size(*memory_peak), " of ", limit)
                                    : cat("killed by the memory limit of ", limit),
                        record.project};
  notification.critical = true;
  notification.offers_stop = true;
  return notification;
}

// What was said of it while it runs: a file that is hidden again, a log that cannot be written.
std::optional<Notification> warned(const SessionEvent& event) {
  const std::vector<std::string>& warnings = event.now.warnings;
  const std::size_t known = event.before.state == "starting" ? warnings.size() : event.before.warnings.size();
  if (warnings.size() <= known) return std::nullopt;
  Notification notification;
  notification.kind = NotificationKind::warning;
  notification.key = event.now.id;
  notification.subject = event.now.name;
  notification.title = cat("Warning in ", event.now.name);
  notification.lines.assign(warnings.begin() + static_cast<std::ptrdiff_t>(known), warnings.end());
  notification.offers_stop = event.now.state != "stopping";
  return notification;
}

std::string title_of_many(NotificationKind kind, std::size_t count) {
  switch (kind) {
    case NotificationKind::ended:
      return cat(count, " sessions ended");
    case NotificationKind::memory:
      return cat("Memory limit reached in ", count, " sessions");
    case NotificationKind::near_limit:
      return cat("Memory nearly used up in ", count, " sessions");
    case NotificationKind::warning:
      return cat("Warnings in ", count, " sessions");
    case NotificationKind::not_started:
      return cat(count, " sessions were not started");
  }
  return {};
}

}  // namespace

std::optional<Notification> notification_of(const SessionEvent& event, std::optional<std::uint64_t> memory_peak) {
  switch (event.kind) {
    case SessionEventKind::added:
      return std::nullopt;
    case SessionEventKind::changed:
      return warned(event);
    case SessionEventKind::oom_kill:
      return process_killed(event.now, memory_peak);
    case SessionEventKind::ended:
      return ended(event);
  }
  return std::nullopt;
}

Notification near_limit(const Record& record, const MemoryUse& use) {
  Notification notification;
  notification.kind = NotificationKind::near_limit;
  notification.key = record.id;
  notification.subject = record.name;
  notification.title = cat("Memory nearly used up in ", record.name);
  notification.lines = {cat(format_size(use.held), " of ", format_size(use.max), " in use"), record.project};
  notification.offers_stop = true;
  return notification;
}

Notification not_started(const std::string& project, const std::string& why) {
  Notification notification;
  notification.kind = NotificationKind::not_started;
  notification.subject = project;
  notification.title = cat("Session not started: ", project);
  for_each_part(trim(why), '\n', [&](std::string_view line) { notification.lines.emplace_back(line); });
  return notification;
}

Notification sum_up(const std::vector<Notification>& notifications) {
  Notification sum;
  sum.kind = notifications.front().kind;
  sum.title = title_of_many(sum.kind, notifications.size());
  for (const Notification& one : notifications) {
    sum.critical = sum.critical || one.critical;
    if (!one.key.empty()) sum.other_keys.push_back(one.key);
    if (sum.lines.size() < kMostLines) {
      sum.lines.push_back(cat(one.subject, ": ", one.lines.empty() ? one.title : one.lines.front()));
    }
  }
  if (notifications.size() > kMostLines) sum.lines.push_back(cat("and ", notifications.size() - kMostLines, " more"));
  return sum;
}

}  // namespace agentctl::manager::service
