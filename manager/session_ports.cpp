// SPDX-License-Identifier: Apache-2.0
#include "manager/session_ports.h"

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <utility>

#include "base/text.h"
#include "egress/listening_ports.h"
#include "egress/network_namespace.h"

namespace agentctl::manager {
namespace {

// Below it servers of this machine are expected; beyond that many it is no development server any more.
constexpr std::uint16_t kFirstFollowed = 1024;
constexpr std::size_t kMostFollowed = 64;
constexpr std::uint64_t kBetweenLooksUsec = 1'000'000;  // the kernel tells nobody that something listens

}  // namespace

SessionPorts::~SessionPorts() { stop_following(); }

Result<void> SessionPorts::publish(const policy::Publication& publication, pid_t inside) {
  if (network_ == policy::NetworkMode::host) {
    return make_error(ErrorKind::usage, "it shares the network of this machine: its ports are there already");
  }
  if (left_out_.contains(publication.port)) {
    return make_error(ErrorKind::usage,
                      cat("port ", publication.port, " is its door's to the network, and no server's of its own"));
  }
  if (!publisher_) {
    const auto space = AGENTCTL_TRY(egress::NetworkNamespace::of(inside));
    publisher_.emplace(AGENTCTL_TRY(egress::Publisher::start(space)));
  }
  return publication.is_automatic() ? follow(inside) : publisher_->publish(publication);
}

Result<void> SessionPorts::follow(pid_t inside) {
  if (inside_ != 0) return make_error(ErrorKind::usage, "its ports are published by themselves already");
  inside_ = inside;
  look();
  return {};
}

void SessionPorts::stop_following() {
  if (timer_ != 0) loop_.cancel(std::exchange(timer_, 0));
  inside_ = 0;
  seen_.clear();
  followed_.clear();
}

bool SessionPorts::is_published(std::uint16_t port) const {
  const auto& published = publisher_->published();
  return std::any_of(published.begin(), published.end(),
                     [&](const policy::Publication& other) { return other.port == port || other.host_port == port; });
}

void SessionPorts::look() {
  timer_ = loop_.after(kBetweenLooksUsec, [this] { look(); });
  const auto listening = egress::read_listening_ports(inside_);
  if (!listening) return on_no_table(listening.error());
  if (*listening == seen_) return;
  std::string problem;
  for (const std::uint16_t port : *listening) {
    if (port < kFirstFollowed || seen_.contains(port) || left_out_.contains(port) || is_published(port)) continue;
    if (followed_.size() >= kMostFollowed) {
      problem = cat("network: more than ", kMostFollowed, " ports are open: no more are published by themselves");
    } else if (const auto made = publisher_->publish({port, port})) {
      followed_.insert(port);
    } else {
      problem = cat("network: port ", port, " is not published: ", made.error().message);
    }
  }
  for (auto port = followed_.begin(); port != followed_.end();) {
    if (listening->contains(*port)) {
      ++port;
      continue;
    }
    (void)publisher_->unpublish(*port);
    port = followed_.erase(port);
  }
  seen_ = *listening;
  changed_(problem == last_problem_ ? std::string() : problem);
  last_problem_ = std::move(problem);
}

// Its process has ended, and the session is about to; or the table is too large to be looked at each second.
void SessionPorts::on_no_table(const Error& error) {
  if (error.sys_errno == ENOENT || error.sys_errno == ESRCH) return;
  const std::set<std::uint16_t> followed = followed_;
  stop_following();
  for (const std::uint16_t port : followed) (void)publisher_->unpublish(port);
  changed_(cat("network: no more ports are published by themselves: ", error.message));
}

Result<void> SessionPorts::unpublish(std::uint16_t host_port) {
  if (host_port == 0) {
    if (inside_ == 0) return make_error(ErrorKind::usage, "its ports are not published by themselves");
    const std::set<std::uint16_t> followed = followed_;
    stop_following();
    for (const std::uint16_t port : followed) AGENTCTL_TRY_VOID(publisher_->unpublish(port));
    return {};
  }
  followed_.erase(host_port);
  if (publisher_) return publisher_->unpublish(host_port);
  return make_error(ErrorKind::usage, cat("port ", host_port, " is not published"));
}

std::vector<std::string> SessionPorts::list() const {
  std::vector<std::string> words;
  if (inside_ != 0) words.push_back(to_string(policy::Publication{}));
  if (!publisher_) return words;
  for (const policy::Publication& publication : publisher_->published()) words.push_back(to_string(publication));
  return words;
}

void SessionPorts::forget() {
  stop_following();
  publisher_.reset();
}

}  // namespace agentctl::manager
