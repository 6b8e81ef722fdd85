// SPDX-License-Identifier: Apache-2.0
#include "manager/service/verbs.h"

#include <unistd.h>

#include <utility>

#include "base/text.h"
#include "manager/exit_status.h"

namespace agentctl::manager::service {

Verbs::Verbs(EventLoop& loop, std::string program) : loop_(loop), program_(std::move(program)) {}

void Verbs::run(std::vector<std::string> words, std::uint64_t deadline_usec, const VerbRun::Done& done) {
  run_in({.environment = own_environment()}, std::move(words), deadline_usec, done);
}

void Verbs::run_in(const Place& place, std::vector<std::string> words, std::uint64_t deadline_usec,
                   const VerbRun::Done& done) {
  Waiting verb{place, std::move(words), deadline_usec, done};
  if (runs_.size() >= kMostAtOnce) return waiting_.push_back(std::move(verb));
  start(std::move(verb));
}

void Verbs::start(Waiting verb) {
  runs_.emplace_front();
  const auto at = runs_.begin();
  auto started = VerbRun::start(loop_,
                                {.program = program_,
                                 .words = std::move(verb.words),
                                 .environment = std::move(verb.place.environment),
                                 .directory = std::move(verb.place.directory),
                                 .deadline_usec = verb.deadline_usec},
                                [this, at, done = verb.done](const VerbOutcome& outcome) {
                                  const std::unique_ptr<VerbRun> ended = std::move(*at);
                                  runs_.erase(at);
                                  done(outcome);
                                  if (waiting_.empty() || runs_.size() >= kMostAtOnce) return;
                                  Waiting next = std::move(waiting_.front());
                                  waiting_.pop_front();
                                  start(std::move(next));
                                });
  if (started) {
    *at = std::move(*started);
    return;
  }
  runs_.erase(at);
  VerbOutcome outcome;
  outcome.status = kExitStartFailed;
  outcome.errors = cat("agentctl: ", started.error().message, "\n");
  verb.done(outcome);
}

std::vector<std::string> own_environment() {
  std::vector<std::string> variables;
  for (char** entry = environ; *entry != nullptr; ++entry) variables.emplace_back(*entry);
  return variables;
}

}  // namespace agentctl::manager::service
