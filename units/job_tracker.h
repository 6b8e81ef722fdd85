// SPDX-License-Identifier: Apache-2.0
// JobTracker: the end of one job of the service manager, whichever comes first, the reply that names the job or the
// signal that ends it. Pure.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"

namespace agentctl::units {

class JobTracker {
 public:
  // JobRemoved was seen for any job.
  void note_removed(std::string_view job_path, std::string_view result);
  // The reply says that this is our job; results of others are forgotten.
  void expect(std::string_view job_path);
  // Of the expected job, once it has ended: "done", "failed", …
  [[nodiscard]] const std::optional<std::string>& result() const { return result_; }

 private:
  static constexpr std::size_t kRemembered = 64;  // of a busy manager's own jobs, while the reply is awaited

  std::string expected_;
  std::optional<std::string> result_;
  std::deque<std::pair<std::string, std::string>> early_;
};

// Why a start job that ended with `result`, anything but "done", has put no process into its unit.
[[nodiscard]] Error describe_job_result(std::string_view result, std::string_view unit);

}  // namespace agentctl::units
