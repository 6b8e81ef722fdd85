// SPDX-License-Identifier: Apache-2.0
#include "bwrap/directory_names.h"

#include <dirent.h>

#include <algorithm>
#include <cerrno>
#include <memory>

#include "base/text.h"
#include "base/unique_fd.h"
#include "bwrap/safe_path.h"

namespace agentctl::bwrap {

Result<std::vector<std::string>> list_directory(const HostPath& canonical, std::size_t limit) {
  UniqueFd fd = AGENTCTL_TRY(hold_directory(canonical));
  const std::unique_ptr<DIR, int (*)(DIR*)> directory(::fdopendir(fd.get()), ::closedir);
  if (!directory) return errno_error(cat("cannot read the directory '", printable(canonical.str()), "'"));
  (void)fd.release();  // the stream has it now
  std::vector<std::string> names;
  errno = 0;
  while (const dirent* entry = ::readdir(directory.get())) {
    const std::string name = entry->d_name;
    if (name == "." || name == "..") continue;
    if (names.size() == limit) {
      return make_error(ErrorKind::policy, cat("'", printable(canonical.str()), "' holds more than ", limit, " names"));
    }
    names.push_back(name);
    errno = 0;
  }
  if (errno != 0) return errno_error(cat("cannot read the directory '", printable(canonical.str()), "'"));
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace agentctl::bwrap
