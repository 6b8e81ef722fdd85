// SPDX-License-Identifier: Apache-2.0
// VerbRun: one verb of agentctl, run as a child of the service, whose loop goes on meanwhile: a call takes as long as
// it takes, and holds up nobody. What the child writes is kept up to a cap. At its deadline it is killed, and so it is
// when this is destroyed. The program is found by its path at each run, so that after an upgrade it is the new one, as
// for whoever types the verb.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/event_loop.h"
#include "base/result.h"
#include "base/unique_fd.h"
#include "manager/service/verb_outcome.h"

namespace agentctl::manager::service {

struct VerbCommand {
  std::string program;
  std::vector<std::string> words;        // after the program's name
  std::vector<std::string> environment;  // NAME=VALUE
  std::string directory = "/";
  std::uint64_t deadline_usec = 0;
};

class VerbRun {
 public:
  using Done = std::function<void(const VerbOutcome&)>;

  // `loop` outlives this. `done` is called once, in the loop; it may destroy this.
  [[nodiscard]] static Result<std::unique_ptr<VerbRun>> start(EventLoop& loop, const VerbCommand& command, Done done);
  VerbRun(const VerbRun&) = delete;
  VerbRun& operator=(const VerbRun&) = delete;
  ~VerbRun();

 private:
  VerbRun(EventLoop& loop, Done done) : loop_(loop), done_(std::move(done)) {}
  void watch_stream(UniqueFd& stream, std::string& kept, bool keeps_end);
  [[nodiscard]] bool drain(UniqueFd& stream, std::string& kept, bool keeps_end);
  void on_exit();

  EventLoop& loop_;
  Done done_;
  pid_t pid_ = 0;  // 0: reaped
  UniqueFd pidfd_, output_, errors_;
  std::optional<EventLoop::TimerId> deadline_;
  VerbOutcome outcome_;
};

}  // namespace agentctl::manager::service
