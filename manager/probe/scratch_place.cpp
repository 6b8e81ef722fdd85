// SPDX-License-Identifier: Apache-2.0
#include "manager/probe/scratch_place.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"
#include "bwrap/tree_removal.h"
#include "manager/probe/dead_probe.h"

namespace agentctl::probe {
namespace {

constexpr std::uint64_t kRemovalUsec = 5'000'000;

}  // namespace

Result<ScratchPlace> ScratchPlace::make() {
  std::string path = scratch_template(AGENTCTL_TRY(identify_process(::getpid())));
  if (::mkdtemp(path.data()) == nullptr) return errno_error(cat("cannot make a directory in '", kScratchParent, "'"));
  ScratchPlace place(std::move(path));
  place.lock_ = AGENTCTL_TRY(open_at(AT_FDCWD, place.path_, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
  if (::flock(place.lock_.get(), LOCK_EX | LOCK_NB) != 0) return errno_error(cat("cannot lock '", place.path_, "'"));
  for (const std::string& directory : {place.outside(), place.project(), place.state()}) {
    if (::mkdir(directory.c_str(), 0700) != 0) return errno_error(cat("cannot make '", directory, "'"));
  }
  return place;
}

ScratchPlace::~ScratchPlace() {
  if (path_.empty()) return;
  const UniqueFd parent(::open(kScratchParent, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!parent.valid()) return;
  (void)bwrap::remove_tree(parent.get(), path_.substr(path_.rfind('/') + 1), monotonic_usec() + kRemovalUsec);
}

}  // namespace agentctl::probe
