// SPDX-License-Identifier: Apache-2.0
#include "manager/service/session_calls.h"

#include <utility>

#include "base/quantity.h"
#include "base/text.h"
#include "manager/service/verb_arguments.h"

namespace agentctl::manager::service {
namespace {

constexpr std::uint64_t kVerbUsec = 60'000'000;  // each has nearer deadlines of its own
constexpr std::uint64_t kUsualGraceUsec = 10'000'000;

void run(const ServiceParts& parts, const PendingAnswer& answer, const std::string& id,
         Result<std::vector<std::string>> words, std::uint64_t deadline_usec) {
  if (!words) return answer.fail(kInvalidArgument, words.error());
  if (parts.verbs.is_full()) return answer.fail({kBusy, "too many calls at once: try again"});
  SessionWatch& sessions = parts.sessions;
  parts.verbs.run(std::move(*words), deadline_usec, [&sessions, answer, id](const VerbOutcome& outcome) {
    sessions.look_at(id);
    auto error = error_of(outcome);
    if (!error) return answer.succeed();
    if (error->name == kFailed && sessions.find(id) == nullptr) error->name = kNoSuchSession;
    answer.fail(*error);
  });
}

}  // namespace

std::string session_path(const std::string& id) { return cat(kManagerPath, "/session/", id); }

std::uint64_t stop_deadline(const Options& options) {
  std::uint64_t grace = kUsualGraceUsec;
  for (const auto& [key, value] : options) {
    const auto* text = std::get_if<std::string>(&value);
    if (key != "grace" || text == nullptr) continue;
    if (const auto given = parse_duration(*text)) grace = *given;
  }
  std::uint64_t deadline = 0;
  return __builtin_add_overflow(grace, kVerbUsec, &deadline) ? kInfinity : deadline;
}

void stop_session(const ServiceParts& parts, const PendingAnswer& answer, const std::string& id,
                  const Options& options) {
  run(parts, answer, id, stop_arguments(id, options), stop_deadline(options));
}

void set_session_limits(const ServiceParts& parts, const PendingAnswer& answer, const std::string& id,
                        const Options& options) {
  run(parts, answer, id, set_arguments(id, options), kVerbUsec);
}

void freeze_session(const ServiceParts& parts, const PendingAnswer& answer, const std::string& id) {
  run(parts, answer, id, std::vector<std::string>{"pause", id}, kVerbUsec);
}

void thaw_session(const ServiceParts& parts, const PendingAnswer& answer, const std::string& id) {
  run(parts, answer, id, std::vector<std::string>{"resume", id}, kVerbUsec);
}

}  // namespace agentctl::manager::service
