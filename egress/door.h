// SPDX-License-Identifier: Apache-2.0
// Door: the one way out of a session with the network mode allowlist. Inside of the session's network, which leads
// nowhere, there are listeners that were made from outside; whoever connects to them speaks to a process of the door's
// own, which lets through what the rules allow (decision.h) and connects to it from the host's network. Owned by the
// supervisor, and dies with it; when the process ends, the session has no network, never an open one.
//   127.0.0.1:3128     HTTP CONNECT, plain HTTP and SOCKS5, told apart by the first byte
//   127.0.0.1:53       names, each answered by an address of 198.18.0.0/15 that stands for it (dns_answer.h)
//   127.0.0.1:PORT     the same port of this machine's own loopback, where the policy opens it (host-ports)
//   198.18.0.0/15      ports 80, 443 and those that rules name: for programs that know nothing of proxies
// It does not protect against: what is done on a host that is allowed; what happens inside TLS (decision.h).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "egress/access_list.h"
#include "egress/upstream.h"

namespace agentctl::egress {

inline constexpr std::uint16_t kDoorPort = 3128;

struct DoorRequest {
  AccessList rules;
  std::string session;  // its name, for what users are told to type
  UniqueFd log;         // read and written by the door alone: NetEvents, a line each; none: nothing is kept
  std::vector<std::uint16_t> host_ports;  // of this machine's loopback that are reached inside, on 127.0.0.1
  std::optional<Upstream> upstream;
  std::string direct_hosts;  // NO_PROXY: what is reached without the upstream
};

// How often it decided since the session's start, and the denial that it told of last.
struct DoorTold {
  std::uint64_t allowed = 0;
  std::uint64_t denied = 0;
  std::string denial;  // explain(): "'example.com:443' is denied: no rule allows it"; empty: none yet
  std::string remedy;  // "agentctl allow claude-webshop example.com"; empty where nothing helps
};

class Door {
 public:
  explicit Door(DoorRequest request);
  Door(Door&&) noexcept;
  Door& operator=(Door&&) = delete;
  Door(const Door&) = delete;
  Door& operator=(const Door&) = delete;
  ~Door();  // ends it

  // `inside`: a process in the sandbox, whose own program does not run yet.
  [[nodiscard]] Result<void> begin(pid_t inside);
  // Waits until it listens, and it is proven that nothing else leads out.
  [[nodiscard]] Result<void> finish();

  // While the session runs: each takes back what the other added for the very same rule. In force when they return.
  [[nodiscard]] Result<void> allow(const policy::HostRule& rule);
  [[nodiscard]] Result<void> deny(const policy::HostRule& rule);

  [[nodiscard]] int lost_fd() const;  // readable when the process has ended: the session has no network any more
  [[nodiscard]] int told_fd() const;  // readable when there is something to hear(), at most once a second
  [[nodiscard]] Result<DoorTold> hear();
  // Ends it, as the destructor does. What it had yet to tell; nothing: it had told all.
  [[nodiscard]] std::optional<DoorTold> end();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace agentctl::egress
