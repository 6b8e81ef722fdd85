// SPDX-License-Identifier: Apache-2.0
// Verbs: the verbs of agentctl that run as children of the service just now, at most so many at once; what is beyond
// that waits its turn.
#pragma once

#include <deque>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "manager/service/verb_run.h"

namespace agentctl::manager::service {

class Verbs {
 public:
  static constexpr std::size_t kMostAtOnce = 64;

  // `loop` outlives this. `program`: this program's file.
  Verbs(EventLoop& loop, std::string program);

  struct Place {
    std::vector<std::string> environment;
    std::string directory = "/";
  };
  // `done` hears of it in any case, of what cannot be started at once.
  void run(std::vector<std::string> words, std::uint64_t deadline_usec, const VerbRun::Done& done);
  void run_in(const Place& place, std::vector<std::string> words, std::uint64_t deadline_usec,
              const VerbRun::Done& done);
  [[nodiscard]] bool is_full() const { return runs_.size() + waiting_.size() >= kMostAtOnce; }

 private:
  struct Waiting {
    Place place;
    std::vector<std::string> words;
    std::uint64_t deadline_usec;
    VerbRun::Done done;
  };
  void start(Waiting verb);

  EventLoop& loop_;
  std::string program_;
  std::list<std::unique_ptr<VerbRun>> runs_;
  std::deque<Waiting> waiting_;
};

// The variables of this process.
[[nodiscard]] std::vector<std::string> own_environment();

}  // namespace agentctl::manager::service
