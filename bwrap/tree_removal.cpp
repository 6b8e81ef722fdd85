// SPDX-License-Identifier: Apache-2.0
#include "bwrap/tree_removal.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

#include "base/clock.h"
#include "base/text.h"
#include "base/unique_fd.h"
#include "bwrap/directory_entries.h"
#include "bwrap/safe_path.h"

namespace agentctl::bwrap {
namespace {

constexpr int kMostLevels = 128;  // each holds a descriptor
constexpr mode_t kOpenMode = 0700;

class Removal {
 public:
  explicit Removal(std::uint64_t deadline_usec) : deadline_usec_(deadline_usec) {}

  Result<bool> remove(int parent, const std::string& name, int level) {
    if (level > kMostLevels) return make_error(ErrorKind::system, cat("'", printable(name), "' lies too deep"));
    UniqueFd directory = AGENTCTL_TRY(open_directory_beneath(parent, name));
    // Tools make what they cache read-only.
    struct stat status {};
    const bool is_closed = ::fstat(directory.get(), &status) == 0 && (status.st_mode & kOpenMode) != kOpenMode;
    if (is_closed && ::fchmod(directory.get(), kOpenMode) != 0) return failed(name);
    for (const std::string& entry : AGENTCTL_TRY(names_in(parent, name))) {
      if (monotonic_usec() > deadline_usec_) return false;
      if (::unlinkat(directory.get(), entry.c_str(), 0) == 0) continue;
      if (errno != EISDIR && errno != EPERM) return failed(entry);
      if (!AGENTCTL_TRY(remove(directory.get(), entry, level + 1))) return false;
    }
    if (::unlinkat(parent, name.c_str(), AT_REMOVEDIR) != 0) return failed(name);
    return true;
  }

 private:
  static Error failed(const std::string& name) { return errno_error(cat("cannot remove '", printable(name), "'")); }

  static Result<std::vector<std::string>> names_in(int parent, const std::string& name) {
    std::vector<std::string> names;
    AGENTCTL_TRY_VOID(read_directory_beneath(parent, name, [&](int, const DirectoryEntry& entry) -> Result<void> {
      names.emplace_back(entry.name);
      return {};
    }));
    return names;
  }

  const std::uint64_t deadline_usec_;
};

}  // namespace

Result<bool> remove_tree(int parent, const std::string& name, std::uint64_t deadline_usec) {
  return Removal(deadline_usec).remove(parent, name, 0);
}

}  // namespace agentctl::bwrap
