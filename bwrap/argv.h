// SPDX-License-Identifier: Apache-2.0
// Plan -> bwrap's arguments. Pure. The option list goes through `--args FD`, NUL-separated, so that /proc/PID/cmdline
// shows neither paths nor values; the process line is `bwrap --args FD -- STAGE …`, and `--` is always there.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "bwrap/late_mounts.h"
#include "bwrap/plan.h"

namespace agentctl::bwrap {

// Numbers of the descriptors that bwrap will find open. -1: not given, the option is left out.
struct BwrapFds {
  int project = -1;
  int stage = -1;
  int block = -1;            // --block-fd
  int status = -1;           // --json-status-fd
  std::vector<int> seccomp;  // --add-seccomp-fd, in order
  std::vector<int> copies;   // one for each operation that has_content(), in the plan's order
};

// Refuses (kind internal) a path with a NUL byte, one that is not absolute or normal, and more than bwrap's own cap of
// 9000 arguments. What `late` takes is left out, and the directory that it needs is bound instead.
[[nodiscard]] Result<std::vector<std::string>> render_options(const Plan& plan, const BwrapFds& fds,
                                                              const LateMounts& late = {});
// Whether bwrap takes a descriptor for it: copy, data, and the mask of a file where no helper places masks.
[[nodiscard]] bool has_content(const Operation& operation);
[[nodiscard]] std::string join_nul(const std::vector<std::string>& options);

}  // namespace agentctl::bwrap
