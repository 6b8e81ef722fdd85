// SPDX-License-Identifier: Apache-2.0
#include "egress/resolver.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "base/clock.h"

namespace agentctl::egress {
namespace {

constexpr std::uint64_t kLongestUsec = 20'000'000;
constexpr std::uint64_t kBelievedUsec = 30'000'000;
constexpr std::size_t kMostKnown = 1024;

}  // namespace

Resolver::Resolver(EventLoop& loop, std::vector<ResolverProcess> processes) : loop_(loop) {
  workers_.reserve(processes.size());
  for (ResolverProcess& process : processes) {
    Worker& worker = workers_.emplace_back(Worker{std::move(process), {}, false});
    loop_.watch(worker.process.socket.get(), POLLIN, [this, &worker](short) { on_answer(worker); });
  }
}

Resolver::AskId Resolver::look_up(const policy::HostName& name, Found found) {
  const auto known = known_.find(name.text());
  if (known != known_.end() && known->second.until_usec > monotonic_usec()) {
    found(known->second.addresses);
    return 0;
  }
  if (std::all_of(workers_.begin(), workers_.end(), [](const Worker& worker) { return worker.is_gone; })) {
    found(read_resolved({}));
    return 0;
  }
  const AskId id = next_++;
  asks_.push_back({id, name.text(), std::move(found), loop_.after(kLongestUsec, [this, id] { expire(id); })});
  set_to_work();
  return id;
}

void Resolver::forget(AskId ask) { (void)take(ask); }

void Resolver::set_to_work() {
  const auto is_at_work = [&](const std::string& name) {
    return std::any_of(workers_.begin(), workers_.end(), [&](const Worker& worker) { return worker.name == name; });
  };
  for (const Ask& ask : asks_) {
    if (is_at_work(ask.name)) continue;
    const auto idle = std::find_if(workers_.begin(), workers_.end(),
                                   [](const Worker& worker) { return worker.name.empty() && !worker.is_gone; });
    if (idle == workers_.end()) return;
    if (::send(idle->process.socket.get(), ask.name.data(), ask.name.size(), MSG_NOSIGNAL | MSG_DONTWAIT) > 0) {
      idle->name = ask.name;
    }
  }
}

void Resolver::on_answer(Worker& worker) {
  std::array<char, kLargestResolved> text;  // NOLINT: filled by recv
  const ssize_t size = ::recv(worker.process.socket.get(), text.data(), text.size(), MSG_DONTWAIT);
  if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (size <= 0) {
    loop_.forget(worker.process.socket.get());
    worker.is_gone = true;
  }
  const std::string name = std::exchange(worker.name, {});
  const auto result = read_resolved({text.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0))});
  if (result) remember(name, *result);
  answer(name, result);
  set_to_work();
}

void Resolver::answer(const std::string& name, const Result<std::vector<policy::IpAddress>>& result) {
  std::vector<AskId> waiting;
  for (const Ask& ask : asks_) {
    if (ask.name == name) waiting.push_back(ask.id);
  }
  // Whoever hears may ask anew, and forget what it asked besides.
  for (const AskId id : waiting) {
    if (const Found found = take(id)) found(result);
  }
}

Resolver::Found Resolver::take(AskId id) {
  const auto at = std::find_if(asks_.begin(), asks_.end(), [&](const Ask& ask) { return ask.id == id; });
  if (at == asks_.end()) return {};
  Found found = std::move(at->found);
  loop_.cancel(at->timer);
  asks_.erase(at);
  return found;
}

void Resolver::expire(AskId id) {
  if (const Found found = take(id)) found(errno_error(ETIMEDOUT, "no answer"));
}

void Resolver::remember(const std::string& name, const std::vector<policy::IpAddress>& addresses) {
  const std::uint64_t now = monotonic_usec();
  if (known_.size() >= kMostKnown)
    std::erase_if(known_, [&](const auto& entry) { return entry.second.until_usec <= now; });
  if (known_.size() >= kMostKnown) known_.clear();
  known_[name] = {addresses, now + kBelievedUsec};
}

}  // namespace agentctl::egress
