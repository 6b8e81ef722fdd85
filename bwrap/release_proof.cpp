// SPDX-License-Identifier: Apache-2.0
#include "bwrap/release_proof.h"

#include <poll.h>
#include <sys/stat.h>

#include <cstdint>

#include "base/clock.h"
#include "base/text.h"
#include "bwrap/file_holders.h"
#include "bwrap/file_lease.h"
#include "bwrap/safe_path.h"

namespace agentctl::bwrap {
namespace {

constexpr std::uint64_t kLongestSearchUsec = 2'000'000;
constexpr std::uint64_t kLongestWaitUsec = 500'000;  // for the program that has just written the file
constexpr int kPauseMsec = 2;

// The session has it open by nothing that can be seen; the host may have it open, but for a moment only.
Result<void> wait_for_release(const ProtectedPlace& place, const UniqueFd& file, const std::vector<pid_t>& pids) {
  const std::uint64_t deadline = monotonic_usec() + kLongestWaitUsec;
  while (true) {
    switch (find_openers(file)) {
      case Openers::none:
        return {};
      case Openers::unknown:
        return prove_not_mapped(place, pids);
      case Openers::some:
        break;
    }
    if (monotonic_usec() > deadline) {
      return make_error(ErrorKind::environment,
                        cat("'", printable(place.path), "' stays open, and nobody can tell by whom"));
    }
    ::poll(nullptr, 0, kPauseMsec);
  }
}

}  // namespace

Result<void> prove_released(const std::vector<GuardedMount>& mounts, const std::vector<pid_t>& pids) {
  std::vector<ProtectedPlace> places;
  std::vector<UniqueFd> files;
  for (const GuardedMount& mount : mounts) {
    if (!keeps_from_writing(mount.guard)) continue;
    auto file = hold_place(mount.path);
    struct stat status {};
    if (!file || ::fstat(file->get(), &status) != 0) continue;  // gone again: whoever waits for it looks again
    const bool is_directory = S_ISDIR(status.st_mode);
    if (!is_directory && status.st_nlink > 1) {
      return make_error(ErrorKind::environment,
                        cat("'", printable(mount.path), "' has a second name, by which the session could write it"));
    }
    places.push_back({mount.path, {status.st_dev, status.st_ino}, is_directory});
    files.push_back(S_ISREG(status.st_mode) ? std::move(*file) : UniqueFd());
  }
  AGENTCTL_TRY_VOID(prove_not_held(places, pids, monotonic_usec() + kLongestSearchUsec));
  for (std::size_t at = 0; at < places.size(); ++at) {
    if (files[at].valid()) AGENTCTL_TRY_VOID(wait_for_release(places[at], files[at], pids));
  }
  return {};
}

}  // namespace agentctl::bwrap
