// SPDX-License-Identifier: Apache-2.0
#include "bwrap/directory_entries.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <memory>

#include "base/text.h"
#include "bwrap/safe_path.h"

namespace agentctl::bwrap {
namespace {

struct CloseDirectory {
  void operator()(DIR* directory) const { ::closedir(directory); }
};

bool is_directory(int directory, const dirent& entry) {
  if (entry.d_type != DT_UNKNOWN) return entry.d_type == DT_DIR;
  struct statx status {};
  constexpr int kFlags = AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT | AT_STATX_DONT_SYNC;  // no server is asked
  return ::statx(directory, entry.d_name, kFlags, STATX_TYPE, &status) == 0 && S_ISDIR(status.stx_mode);
}

}  // namespace

Result<void> read_directory_beneath(int root, const std::string& below, const SeeDirectoryEntry& see,
                                    const BeforeEntries& before) {
  UniqueFd opened = AGENTCTL_TRY(open_directory_beneath(root, below.empty() ? "." : below));
  if (before && !AGENTCTL_TRY(before(opened))) return {};
  const std::unique_ptr<DIR, CloseDirectory> directory(::fdopendir(opened.get()));
  if (!directory) return errno_error(cat("cannot read '", printable(below), "'"));
  (void)opened.release();  // the stream has it now
  const int fd = ::dirfd(directory.get());
  while (true) {
    errno = 0;
    const dirent* entry = ::readdir(directory.get());
    if (entry == nullptr) break;
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    AGENTCTL_TRY_VOID(see(fd, {name, is_directory(fd, *entry), entry->d_ino}));
  }
  if (errno != 0) return errno_error(cat("cannot read '", printable(below), "'"));
  return {};
}

}  // namespace agentctl::bwrap
