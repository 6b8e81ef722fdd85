// SPDX-License-Identifier: Apache-2.0
// NetlinkSocket: requests to the kernel's part for the network of the namespace in which it was opened, each waited
// for. Sources: netlink(7), rtnetlink(7).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "egress/netlink_message.h"

namespace agentctl::egress {

class NetlinkSocket {
 public:
  // `protocol`: NETLINK_ROUTE, NETLINK_NETFILTER. `groups`: of whose events wait_for_event() hears.
  [[nodiscard]] static Result<NetlinkSocket> open(int protocol, std::uint32_t groups = 0);

  // Requests that are sent together; those with NLM_F_ACK are waited for. The first that the kernel refuses is the
  // Error (its sys_errno).
  [[nodiscard]] Result<void> apply(std::vector<NetlinkMessage>& messages);
  // A request that is answered by one message: its bytes after the nlmsghdr.
  [[nodiscard]] Result<std::string> ask(NetlinkMessage& message);
  // False: nothing happened within the time.
  [[nodiscard]] Result<bool> wait_for_event(int msec);

 private:
  explicit NetlinkSocket(UniqueFd socket) : socket_(std::move(socket)) {}

  UniqueFd socket_;
  std::uint32_t last_sequence_ = 0;
};

}  // namespace agentctl::egress
