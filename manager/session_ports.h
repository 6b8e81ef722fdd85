// SPDX-License-Identifier: Apache-2.0
// SessionPorts: the ports of one session that are published on this machine's loopback (egress/publisher.h, which is
// started with the first). Owned by the session; they end with it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/event_loop.h"
#include "base/result.h"
#include "egress/publisher.h"
#include "policy/policy.h"
#include "policy/publication.h"

namespace agentctl::manager {

class SessionPorts {
 public:
  // `changed` hears when a port was published, or not, by itself, with a sentence where there is something to say.
  SessionPorts(EventLoop& loop, policy::NetworkMode network, std::function<void(const std::string&)> changed)
      : loop_(loop), network_(network), changed_(std::move(changed)) {}
  SessionPorts(const SessionPorts&) = delete;
  SessionPorts& operator=(const SessionPorts&) = delete;
  ~SessionPorts();

  // `inside`: a process of the session's, which lives. Refused where the session has the host's own network.
  [[nodiscard]] Result<void> publish(const policy::Publication& publication, pid_t inside);
  // By the host's port; that of "auto" is 0, and ends what was published by itself, too.
  [[nodiscard]] Result<void> unpublish(std::uint16_t host_port);
  [[nodiscard]] std::vector<std::string> list() const;  // "auto", "3000", "8080:3000"
  // Ports that are this session's network's own, and no server's of the agent's.
  void leave_out(std::set<std::uint16_t> ports) { left_out_ = std::move(ports); }
  // Readable when nothing is published any more, because its process has ended; -1: nothing was. Then forget() it.
  [[nodiscard]] int lost_fd() const { return publisher_ ? publisher_->pidfd() : -1; }
  void forget();

 private:
  [[nodiscard]] Result<void> follow(pid_t inside);
  void stop_following();
  void look();
  void on_no_table(const Error& error);
  [[nodiscard]] bool is_published(std::uint16_t port) const;

  EventLoop& loop_;
  policy::NetworkMode network_;
  std::function<void(const std::string&)> changed_;
  std::optional<egress::Publisher> publisher_;
  std::set<std::uint16_t> left_out_;
  pid_t inside_ = 0;  // whose network is looked at for ports; 0: none
  EventLoop::TimerId timer_ = 0;
  std::set<std::uint16_t> seen_;  // at the last look
  std::string last_problem_;
  std::set<std::uint16_t> followed_;  // those of them that were published by themselves
};

}  // namespace agentctl::manager
