// SPDX-License-Identifier: Apache-2.0
#include "manager/session_glance.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <string>

#include "base/file.h"
#include "base/process.h"
#include "base/text.h"
#include "manager/record_size.h"
#include "manager/session_name.h"
#include "manager/state_dirs.h"
#include "units/unit_name.h"

namespace agentctl::manager {

std::vector<RecordHead> glance_at_sessions() {
  std::vector<RecordHead> heads;
  const auto this_boot = boot_id();
  for (const std::string& path : existing_runtime_dirs()) {
    const std::unique_ptr<DIR, int (*)(DIR*)> directory(
        ::opendir(path.c_str()), [](DIR* open) { return open == nullptr ? 0 : ::closedir(open); });
    while (const dirent* entry = directory ? ::readdir(directory.get()) : nullptr) {
      if (!units::is_session_id(entry->d_name)) continue;
      const auto text = read_file_at(::dirfd(directory.get()), cat(entry->d_name, "/record"), kMostRecordBytes);
      auto head = text ? parse_record_head(*text) : Result<RecordHead>(text.error());
      if (!head || head->id != entry->d_name || !is_session_name(head->name)) continue;
      if (!this_boot || head->boot_id != *this_boot) continue;
      if (::kill(head->supervisor, 0) != 0 && errno == ESRCH) continue;
      heads.push_back(std::move(*head));
    }
  }
  std::sort(heads.begin(), heads.end(), [](const RecordHead& a, const RecordHead& b) { return a.name < b.name; });
  return heads;
}

}  // namespace agentctl::manager
