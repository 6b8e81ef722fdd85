// SPDX-License-Identifier: Apache-2.0
// Resolver: names looked up by processes beside the door (resolver_process.h), without waiting for them. Several asks
// for one name are one look-up; what was found is believed for half a minute, and is judged anew each time. Owned by
// the door.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <string>
#include <vector>

#include "base/event_loop.h"
#include "base/result.h"
#include "egress/resolver_process.h"
#include "policy/host_name.h"

namespace agentctl::egress {

class Resolver {
 public:
  using Found = std::function<void(const Result<std::vector<policy::IpAddress>>&)>;
  using AskId = std::uint64_t;

  Resolver(EventLoop& loop, std::vector<ResolverProcess> processes);
  Resolver(const Resolver&) = delete;
  Resolver& operator=(const Resolver&) = delete;

  // `found` is called once, perhaps before this returns (the id is 0 then); not after forget(). ETIMEDOUT after twenty
  // seconds.
  [[nodiscard]] AskId look_up(const policy::HostName& name, Found found);
  void forget(AskId ask);

 private:
  struct Worker {
    ResolverProcess process;
    std::string name;  // that it looks up now; empty: none
    bool is_gone = false;
  };
  struct Ask {
    AskId id;
    std::string name;
    Found found;
    EventLoop::TimerId timer;
  };
  struct Known {
    std::vector<policy::IpAddress> addresses;
    std::uint64_t until_usec;
  };

  void set_to_work();
  void on_answer(Worker& worker);
  void answer(const std::string& name, const Result<std::vector<policy::IpAddress>>& result);
  [[nodiscard]] Found take(AskId id);  // empty: it is no more
  void expire(AskId id);
  void remember(const std::string& name, const std::vector<policy::IpAddress>& addresses);

  EventLoop& loop_;
  std::vector<Worker> workers_;
  std::list<Ask> asks_;  // the one that has waited the longest comes first
  std::map<std::string, Known> known_;
  AskId next_ = 1;
};

}  // namespace agentctl::egress
