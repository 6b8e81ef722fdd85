// SPDX-License-Identifier: Apache-2.0
// RemoteInquiry: whether a file system that depends on somebody else (a server, a daemon of FUSE, an automounter)
// answers, asked in a process of its own, so that we never wait longer than we want to. That process is killed when the
// inquiry goes; where the kernel does not let go of it yet, it is left behind, and dies when the kernel does.
// It proves nothing of the time after the answer. Sources: statx(2) (AT_STATX_FORCE_SYNC), autofs in mount(8).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "base/unique_fd.h"

namespace agentctl::bwrap {

class RemoteInquiry {
 public:
  enum class Way {
    status,  // of what is mounted there, past any cache
    entry,   // as one that wants to use it: an automount point mounts what it stands for
  };
  RemoteInquiry(const std::string& path, Way way);  // asks at once; one that cannot be asked does not answer

  // An error is an answer too. Waits until then at most, by monotonic_usec().
  [[nodiscard]] bool is_answered(std::uint64_t deadline_usec);

  RemoteInquiry(const RemoteInquiry&) = delete;
  RemoteInquiry& operator=(const RemoteInquiry&) = delete;
  RemoteInquiry(RemoteInquiry&& other) noexcept;
  RemoteInquiry& operator=(RemoteInquiry&&) = delete;
  ~RemoteInquiry();

 private:
  pid_t pid_ = 0;  // 0: ended and reaped, or never there
  UniqueFd pidfd_;
  bool answered_ = false;
};

}  // namespace agentctl::bwrap
