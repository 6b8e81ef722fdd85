// SPDX-License-Identifier: Apache-2.0
#include "manager/service/autostart_marker.h"

#include <fcntl.h>

#include <string>

#include "base/file.h"
#include "base/text.h"
#include "manager/state_dirs.h"

namespace agentctl::manager::service {
namespace {

constexpr const char* kMarker = "agentctl-autostarted";  // beside the directory of the records
constexpr mode_t kMode = 0600;

Result<UniqueFd> open_place() {
  const RuntimeDir records = AGENTCTL_TRY(open_runtime_dir());
  if (records.is_fallback) return make_error(ErrorKind::environment, "there is no XDG_RUNTIME_DIR of yours");
  return open_at(records.fd.get(), "..", O_RDONLY | O_DIRECTORY);
}

// A boot's pids and times come again in the next one, where the directory is kept.
Result<std::string> mark_of(const ProcessIdentity& manager) {
  return cat(manager.pid, " ", manager.start_time, " ", AGENTCTL_TRY(boot_id()), "\n");
}

}  // namespace

Result<bool> is_autostart_done(const ProcessIdentity& manager) {
  const UniqueFd runtime = AGENTCTL_TRY(open_place());
  const auto known = read_file_at(runtime.get(), kMarker);
  const std::string mark = AGENTCTL_TRY(mark_of(manager));
  return known && *known == mark;
}

Result<void> note_autostart_done(const ProcessIdentity& manager) {
  const UniqueFd runtime = AGENTCTL_TRY(open_place());
  const std::string mark = AGENTCTL_TRY(mark_of(manager));
  return replace_file_at(runtime.get(), kMarker, mark, kMode);
}

}  // namespace agentctl::manager::service
