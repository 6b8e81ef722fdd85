// SPDX-License-Identifier: Apache-2.0
#include "manager/disk_watch.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/statfs.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "base/clock.h"
#include "base/file.h"
#include "base/quantity.h"
#include "base/text.h"

namespace agentctl::manager {
namespace {

constexpr std::uint64_t kMostReserve = 1ULL << 30;
constexpr std::uint64_t kShare = 50;
constexpr std::uint64_t kBytesPerUsec = 1074;  // 1 GiB a second
constexpr std::uint64_t kShortestUsec = 1'000'000;
constexpr std::uint64_t kLongestUsec = 10'000'000;
// Some of them have no name in headers of 2022: cifs, smb2, ceph.
constexpr unsigned long kRemote[] = {NFS_SUPER_MAGIC,  SMB_SUPER_MAGIC, CODA_SUPER_MAGIC, AFS_SUPER_MAGIC, V9FS_MAGIC,
                                     FUSE_SUPER_MAGIC, 0xff534d42,      0xfe534d42,       0x00c36400};

std::optional<DiskSpace> space_of(int directory) {
  struct statfs status {};
  if (::fstatfs(directory, &status) != 0) return std::nullopt;
  const auto type = static_cast<unsigned long>(status.f_type) & 0xffffffffUL;
  if (std::find(std::begin(kRemote), std::end(kRemote), type) != std::end(kRemote)) return std::nullopt;
  const auto block = static_cast<std::uint64_t>(status.f_bsize);
  return DiskSpace{status.f_blocks * block, status.f_bavail * block};
}

}  // namespace

std::uint64_t low_mark(const DiskSpace& space) { return std::min(space.size / kShare, kMostReserve); }

std::optional<std::uint64_t> usec_until_look(const DiskSpace& space, std::uint64_t mark) {
  const std::uint64_t usec = space.free > mark ? (space.free - mark) / kBytesPerUsec : 0;
  if (usec > kLongestUsec) return std::nullopt;
  return std::max(usec, kShortestUsec);
}

DiskWatch::DiskWatch(EventLoop& loop, const std::vector<std::string>& places,
                     std::function<void(const std::string&)> is_low)
    : loop_(loop), is_low_(std::move(is_low)) {
  std::set<dev_t> known;
  for (const std::string& place : places) {
    auto directory = open_at(AT_FDCWD, place, O_PATH | O_DIRECTORY);
    struct stat status {};
    if (!directory || ::fstat(directory->get(), &status) != 0 || !known.insert(status.st_dev).second) continue;
    const auto space = space_of(directory->get());
    if (!space || space->size == 0) continue;
    // Where it was low before the session began, that is not the session's doing.
    disks_.push_back({place, std::move(*directory), std::min(low_mark(*space), space->free / 2)});
  }
}

DiskWatch::~DiskWatch() {
  if (timer_) loop_.cancel(*timer_);
}

void DiskWatch::look_if_due() {
  if (!is_paused_ && !disks_.empty() && monotonic_usec() >= due_usec_) look();
}

void DiskWatch::set_paused(bool is_paused) {
  is_paused_ = is_paused;
  due_usec_ = 0;
  if (timer_) loop_.cancel(*std::exchange(timer_, std::nullopt));
}

void DiskWatch::look() {
  if (timer_) loop_.cancel(*std::exchange(timer_, std::nullopt));
  std::optional<std::uint64_t> next;
  for (Disk& disk : disks_) {
    const auto space = space_of(disk.directory.get());
    if (!space) continue;
    if (space->free < disk.mark) {
      disk.mark = space->free / 2;
      is_low_(cat("only ", format_size(space->free), " are free in '", printable(disk.place), "'"));
    } else if (space->free / 2 > low_mark(*space)) {
      disk.mark = low_mark(*space);
    }
    const auto usec = usec_until_look(*space, disk.mark);
    if (usec) next = std::min(*usec, next.value_or(*usec));
  }
  due_usec_ = monotonic_usec() + next.value_or(kLongestUsec);
  if (next && !is_paused_) timer_ = loop_.after(*next, [this] { timer_.reset(); });  // who wakes the loop has it look
}

}  // namespace agentctl::manager
