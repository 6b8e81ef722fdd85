// SPDX-License-Identifier: Apache-2.0
// Results: systemd src/core/job.c, job_result_table, of 252 to 262.
#include "units/job_tracker.h"

#include <array>

#include "base/text.h"

namespace agentctl::units {
namespace {

struct Sentence {
  std::string_view result;
  std::string_view text;
  std::string_view hint;
};

constexpr std::array<Sentence, 12> kSentences = {{
    {"canceled", "the job was canceled by another request", "try again"},
    {"timeout", "the service manager gave up waiting for it", "the machine may be overloaded: try again"},
    {"failed", "the service manager could not move the process into the scope",
     "see 'journalctl --user -n 20'; as root for another user use that user's own session"},
    {"dependency", "a unit that it depends on failed, such as its slice", "see 'systemctl --user --failed'"},
    {"skipped", "the job was skipped: the unit is not in a state that it applies to", ""},
    {"invalid", "the unit is in a state in which it cannot be started", ""},
    {"assert", "an Assert of the unit failed", "look for a drop-in in ~/.config/systemd/user/app-agentctl-.scope.d"},
    {"unsupported", "this system does not support scopes", ""},
    {"collected", "the unit was unloaded before it could start: its processes have ended", ""},
    {"once", "the unit may be started only once and has been", ""},
    {"frozen", "its slice is frozen", "thaw it: systemctl --user thaw app-agentctl.slice"},
    {"concurrency", "its slice allows no more units at a time", "end another session, or raise the slice's limit"},
}};

}  // namespace

void JobTracker::note_removed(std::string_view job_path, std::string_view result) {
  if (expected_.empty()) {
    if (early_.size() == kRemembered) early_.pop_front();
    early_.emplace_back(job_path, result);
  } else if (job_path == expected_) {
    result_ = std::string(result);
  }
}

void JobTracker::expect(std::string_view job_path) {
  expected_ = job_path;
  result_.reset();
  for (const auto& [path, result] : early_) {
    if (path == job_path) result_ = result;
  }
  early_.clear();
}

Error describe_job_result(std::string_view result, std::string_view unit) {
  const bool is_service = unit.ends_with(".service");
  const std::string context = cat("cannot start the ", is_service ? "service" : "scope", " '", unit, "': ");
  if (is_service && result == "failed") {
    return make_error(ErrorKind::bus, cat(context, "the service manager could not execute agentctl"),
                      cat("see 'journalctl --user -n 20 -u ", unit, "'"));
  }
  for (const Sentence& sentence : kSentences) {
    if (sentence.result == result) {
      return make_error(ErrorKind::bus, cat(context, sentence.text), std::string(sentence.hint));
    }
  }
  return make_error(ErrorKind::bus, cat(context, "its job ended with the unknown result '", printable(result), "'"));
}

}  // namespace agentctl::units
