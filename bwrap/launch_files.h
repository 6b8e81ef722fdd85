// SPDX-License-Identifier: Apache-2.0
// LaunchFiles: every descriptor that bwrap gets, opened and held until bwrap has them: the project, the stage, files to
// copy, the filters, the option list, and the block pipe whose byte lets the sandbox go on to its payload.
#pragma once

#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "bwrap/argv.h"
#include "bwrap/held_child.h"
#include "bwrap/plan.h"

namespace agentctl::bwrap {

class LaunchFiles {
 public:
  [[nodiscard]] static Result<LaunchFiles> open(const Plan& plan, const HostPath& project, const HostPath& stage);

  // bwrap's own command line and descriptors, with the stage as payload talking over `stage_channel`.
  [[nodiscard]] ExecRequest make_request(const Plan& plan, int stage_channel) const;
  [[nodiscard]] std::size_t filter_count() const { return filters_.size(); }

  // After the release: what only bwrap needs is closed here.
  void close_child_ends();
  // The byte on --block-fd.
  [[nodiscard]] Result<void> unblock();

 private:
  [[nodiscard]] std::vector<int> kept_fds(int stage_channel) const;

  UniqueFd project_, stage_, options_, block_read_, block_write_;
  std::vector<UniqueFd> filters_;
  std::vector<UniqueFd> copies_;
};

}  // namespace agentctl::bwrap
