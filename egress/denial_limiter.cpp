// SPDX-License-Identifier: Apache-2.0
#include "egress/denial_limiter.h"

#include <algorithm>

#include "base/text.h"

namespace agentctl::egress {
namespace {

constexpr std::uint64_t kWindowUsec = 10'000'000;
constexpr std::size_t kMostKeys = 256;

std::string key_of(const NetEvent& event) {
  return cat(to_string(event.protocol), " ", code(event.denial->reason), " ", event.port.value_or(0), " ", event.host);
}

// Whoever asks for more hosts than are told apart could push everything else out of the log.
void forget_host(NetEvent& event) {
  event.host.clear();
  event.port.reset();
  event.rule.clear();
  event.denial->asked.clear();
  event.denial->allow.clear();
  event.denial->rule.clear();
  event.denial->detail = "of many hosts at once";
}

}  // namespace

std::optional<NetEvent> DenialLimiter::admit(NetEvent event, std::uint64_t now_usec) {
  std::string key = key_of(event);
  if (!held_.contains(key) && !has_room(now_usec)) {
    forget_host(event);
    key = key_of(event);
  }
  if (const auto known = held_.find(key); known != held_.end()) {
    Held& held = known->second;
    event.count += held.last ? held.last->count : 0;
    if (now_usec - held.told_usec < kWindowUsec) {
      held.last = std::move(event);
      return std::nullopt;
    }
    held = {now_usec, std::nullopt};
    return event;
  }
  held_.emplace(std::move(key), Held{now_usec, std::nullopt});
  return event;
}

bool DenialLimiter::has_room(std::uint64_t now_usec) {
  if (held_.size() < kMostKeys) return true;
  std::erase_if(
      held_, [&](const auto& entry) { return !entry.second.last && now_usec - entry.second.told_usec >= kWindowUsec; });
  return held_.size() < kMostKeys;
}

std::vector<NetEvent> DenialLimiter::take_due(std::uint64_t now_usec) {
  std::vector<NetEvent> due;
  for (auto& [key, held] : held_) {
    if (!held.last || now_usec - held.told_usec < kWindowUsec) continue;
    due.push_back(std::move(*held.last));
    held = {now_usec, std::nullopt};
  }
  return due;
}

std::vector<NetEvent> DenialLimiter::take_all() {
  std::vector<NetEvent> all;
  for (auto& [key, held] : held_) {
    if (held.last) all.push_back(std::move(*held.last));
  }
  held_.clear();
  return all;
}

std::optional<std::uint64_t> DenialLimiter::due_usec() const {
  std::optional<std::uint64_t> first;
  for (const auto& [key, held] : held_) {
    if (!held.last) continue;
    const std::uint64_t due = held.told_usec + kWindowUsec;
    first = first ? std::min(*first, due) : due;
  }
  return first;
}

}  // namespace agentctl::egress
