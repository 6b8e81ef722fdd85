// SPDX-License-Identifier: Apache-2.0
// SplicePipes: pipes through which splice(2) moves bytes from one socket to another without copying them. A pipe is
// needed only while something is in it, so that a few serve thousands of connections: an empty one goes back. Owned by
// whoever owns the relays, in the process that made it: bytes in a pipe are for one connection alone, and a forked
// process would share it. The kernel lets a user without privileges have 64 MiB of pipes (pipe(7)).
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "base/unique_fd.h"

namespace agentctl::egress {

struct SplicePipe {
  UniqueFd read_end;
  UniqueFd write_end;
  std::size_t size = 0;    // bytes it can hold at most
  std::size_t filled = 0;  // bytes in it
};

class SplicePipes {
 public:
  SplicePipes() = default;
  SplicePipes(const SplicePipes&) = delete;
  SplicePipes& operator=(const SplicePipes&) = delete;

  // An empty one, non-blocking, of 1 MiB where that is allowed. None where there are too many already, or where only
  // such small ones can be had that copying is faster.
  [[nodiscard]] std::optional<SplicePipe> take();
  // One that is not empty is closed, so that nothing in it can reach another connection.
  void give_back(SplicePipe pipe);

 private:
  std::vector<SplicePipe> spare_;
  std::size_t taken_ = 0;
};

}  // namespace agentctl::egress
