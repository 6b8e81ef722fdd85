// SPDX-License-Identifier: Apache-2.0
// Who is in a cgroup, and how they are all ended.
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <memory>

#include "base/event_loop.h"
#include "base/file.h"
#include "base/process.h"
#include "base/text.h"
#include "units/cgroup.h"
#include "units/cgroup_file.h"

namespace agentctl::units {
namespace {

constexpr int kDeepest = 64;
constexpr std::uint64_t kNothingChangesUsec = 2'000'000;
constexpr int kPauseMsec = 2;

struct CloseDir {
  void operator()(DIR* dir) const { ::closedir(dir); }
};

void collect_pids(int dir, int depth, std::vector<pid_t>& pids) {
  if (const auto text = read_file_at(dir, "cgroup.procs", 64U << 20)) {
    const char* at = text->data();
    const char* const end = at + text->size();
    while (at < end) {
      pid_t pid = 0;
      const auto [next, error] = std::from_chars(at, end, pid);
      if (error == std::errc{} && pid > 0) pids.push_back(pid);  // 0: a process that our pid namespace cannot see
      at = std::find(next, end, '\n') + 1;
    }
  }
  if (depth == 0) return;
  const int copy = ::openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (copy < 0) return;
  const std::unique_ptr<DIR, CloseDir> entries(::fdopendir(copy));
  if (!entries) {
    ::close(copy);
    return;
  }
  while (const dirent* entry = ::readdir(entries.get())) {
    if (entry->d_type != DT_DIR || entry->d_name[0] == '.') continue;
    const UniqueFd child(::openat(dir, entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (child.valid()) collect_pids(child.get(), depth - 1, pids);
  }
}

}  // namespace

std::vector<pid_t> Cgroup::pids() const {
  std::vector<pid_t> pids;
  const UniqueFd& dir = unified_.valid() ? unified_ : systemd_;
  if (dir.valid()) collect_pids(dir.get(), kDeepest, pids);
  return pids;
}

bool Cgroup::populated() const {
  if (const auto events = read_text(unified_, "cgroup.events")) return find_value(*events, "populated") == 1U;
  return !pids().empty();
}

Result<void> Cgroup::adopt(pid_t pid) const {
  for (const UniqueFd* hierarchy : {&unified_, &systemd_, &memory_, &cpu_, &cpuacct_, &pids_, &blkio_, &freezer_}) {
    if (!hierarchy->valid()) continue;
    AGENTCTL_TRY_VOID(with_context(cat("cannot put process ", pid, " into '", path_, "'"),
                                   write_control_file_at(hierarchy->get(), "cgroup.procs", std::to_string(pid))));
  }
  return {};
}

Result<void> Cgroup::kill() const {
  if (unified_.valid()) {
    const UniqueFd file(::openat(unified_.get(), "cgroup.kill", O_WRONLY | O_CLOEXEC));
    if (file.valid()) {
      if (::write(file.get(), "1", 1) == 1 || errno == ENODEV) return {};
      return errno_error(cat("cannot kill the processes of '", path_, "'"));
    }
    if (errno != ENOENT && errno != ENODEV) return errno_error(cat("cannot kill the processes of '", path_, "'"));
  }
  return exists() ? kill_one_by_one(0) : Result<void>{};
}

Result<void> Cgroup::kill_others(pid_t spared) const { return kill_one_by_one(spared); }

Result<void> Cgroup::kill_one_by_one(pid_t spared) const {
  std::vector<pid_t> before;
  std::uint64_t changed = monotonic_usec();
  while (true) {
    std::vector<std::pair<pid_t, UniqueFd>> held;
    for (const pid_t pid : pids()) {
      if (auto pidfd = open_pidfd(pid)) held.emplace_back(pid, std::move(*pidfd));
    }
    // Seen as a member once more after the pidfd was opened: the pidfd is of a member, not of a later owner of its
    // number.
    std::vector<pid_t> members = pids();
    std::erase(members, spared);
    if (members.empty()) return {};
    for (const auto& [pid, pidfd] : held) {
      if (std::find(members.begin(), members.end(), pid) != members.end()) (void)signal_pidfd(pidfd.get(), SIGKILL);
    }
    std::sort(members.begin(), members.end());
    if (members != before) changed = monotonic_usec();
    if (monotonic_usec() - changed > kNothingChangesUsec) {
      return make_error(ErrorKind::system,
                        cat("cannot kill the processes of '", path_, "': ", members.size(), " remain after SIGKILL"));
    }
    before = std::move(members);
    ::poll(nullptr, 0, kPauseMsec);
  }
}

}  // namespace agentctl::units
