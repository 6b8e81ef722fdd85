// SPDX-License-Identifier: Apache-2.0
// NetLog: the file of what happened at the door, a line of JSON each (net_event.h), that `agentctl logs NAME --net`
// reads. Denials that repeat are put together (denial_limiter.h). Capped: when it is full its older half goes. What
// cannot be written, for the disk is full, is lost, and the door goes on.
#pragma once

#include <cstdint>

#include "base/event_loop.h"
#include "base/unique_fd.h"
#include "egress/denial_limiter.h"
#include "egress/net_event.h"

namespace agentctl::egress {

class NetLog {
 public:
  // `file`: read and written by nobody else; not valid: nothing is kept.
  NetLog(EventLoop& loop, UniqueFd file);
  NetLog(const NetLog&) = delete;
  NetLog& operator=(const NetLog&) = delete;
  ~NetLog();

  void add(NetEvent event);

 private:
  void write(const NetEvent& event);
  void drop_older_half();
  void wait_for_due();
  void write_due();

  EventLoop& loop_;
  UniqueFd file_;
  DenialLimiter limiter_;
  EventLoop::TimerId timer_ = 0;
  std::uint64_t size_ = 0;
};

}  // namespace agentctl::egress
