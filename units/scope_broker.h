// SPDX-License-Identifier: Apache-2.0
// ScopeBroker: a process of ours that speaks to the service manager for its owner, and then stays in the scope as its
// anchor.
//
// Why a process: loading libsystemd and connecting take longer than reading the policy and making the plan, so the two
// run side by side; and the supervisor, which lives for hours, never has the library in its memory. Why the same one
// stays: a cgroup is removed as soon as it is empty, so somebody of ours must be in it until its last figures are read.
//
// When its owner is gone it kills what is left in the scope and ends; from settle() on the kernel ends it with its
// owner (PDEATHSIG). It ignores every signal that can be ignored, holds no descriptor but its end of the socket pair
// and the bus, and closes the bus at settle(). Killed and reaped at destruction. Every call blocks and is bounded by
// the deadlines given with it.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "units/manager_connection.h"
#include "units/scope_manager.h"
#include "units/scope_message.h"

namespace agentctl::units {

class ScopeBroker {
 public:
  [[nodiscard]] static Result<ScopeBroker> fork();
  ScopeBroker(ScopeBroker&& other) noexcept
      : pid_(std::exchange(other.pid_, 0)),
        socket_(std::move(other.socket_)),
        start_pending_(other.start_pending_),
        settling_(other.settling_),
        settled_(other.settled_) {}
  ScopeBroker& operator=(ScopeBroker&&) = delete;
  ~ScopeBroker() { end(); }

  [[nodiscard]] pid_t pid() const { return pid_; }

  // Asks for a connection without waiting; finish_connect() gives the kind of the manager that answered.
  [[nodiscard]] Result<void> begin_connect(ManagerKind wanted, const Deadlines& deadlines);
  [[nodiscard]] Result<ManagerKind> finish_connect();
  // A connection over a socket that the owner has opened: a private manager's. A start that was asked for before went
  // to nobody and is forgotten.
  [[nodiscard]] Result<void> connect_private(UniqueFd socket, const Deadlines& deadlines);

  // Asks for the scope without waiting, also before finish_connect(): the broker takes one thing after the other. The
  // job's end is finish_start()'s; that the unit is active, and which cgroup it has, is confirm()'s, so that the way
  // there and back can be spent beside other work.
  [[nodiscard]] Result<void> begin_start(const ScopeRequest& request);
  [[nodiscard]] Result<ScopeStarted> finish_start();
  [[nodiscard]] Result<std::string> confirm(const std::string& unit);

  // A ScopeManager that does everything through this broker; it must not outlive it.
  [[nodiscard]] std::unique_ptr<ScopeManager> make_scope_manager();

  // Nothing more will be asked: it drops the bus and the library, and only anchors. On success it dies with its owner,
  // even while it is frozen; an Error within half a second means that this is not so yet.
  [[nodiscard]] Result<void> settle();
  // Kills and reaps it.
  void end();

 private:
  ScopeBroker(pid_t pid, UniqueFd socket) : pid_(pid), socket_(std::move(socket)) {}

  pid_t pid_;
  UniqueFd socket_;
  bool start_pending_ = false;
  bool settling_ = false;
  bool settled_ = false;
};

}  // namespace agentctl::units
