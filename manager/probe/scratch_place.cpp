// SPDX-License-Identifier: Apache-2.0
#include "manager/probe/scratch_place.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"
#include "bwrap/tree_removal.h"

namespace agentctl::probe {
namespace {

constexpr const char* kParent = "/var/tmp";
constexpr std::uint64_t kRemovalUsec = 5'000'000;

}  // namespace

Result<ScratchPlace> ScratchPlace::make() {
  std::string path = cat(kParent, "/agentctl-probe-XXXXXX");
  if (::mkdtemp(path.data()) == nullptr) return errno_error(cat("cannot make a directory in '", kParent, "'"));
  ScratchPlace place(std::move(path));
  for (const std::string& directory : {place.outside(), place.project(), place.state()}) {
    if (::mkdir(directory.c_str(), 0700) != 0) return errno_error(cat("cannot make '", directory, "'"));
  }
  return place;
}

ScratchPlace::~ScratchPlace() {
  if (path_.empty()) return;
  const UniqueFd parent(::open(kParent, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!parent.valid()) return;
  (void)bwrap::remove_tree(parent.get(), path_.substr(path_.rfind('/') + 1), monotonic_usec() + kRemovalUsec);
}

}  // namespace agentctl::probe
