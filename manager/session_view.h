// SPDX-License-Identifier: Apache-2.0
// SessionView: a record held against the kernel at this moment: what `status` shows.
#pragma once

#include <string>

#include "manager/record.h"
#include "units/cgroup.h"

namespace agentctl::manager {

struct SessionView {
  Record record;
  std::string state;  // starting running frozen stopping
  units::EffectiveLimits effective;
  units::CgroupUsage usage;
  std::vector<std::string> warnings;  // the record's, and what is found wrong now
};

[[nodiscard]] SessionView view_session(const Record& record);

// Pure.
[[nodiscard]] std::string session_json(const SessionView& view);
[[nodiscard]] std::string session_table(const std::vector<SessionView>& views, std::uint64_t now_usec);
[[nodiscard]] std::string session_details(const SessionView& view, std::uint64_t now_usec);

}  // namespace agentctl::manager
