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

}  // namespace

Result<bool> claim_autostart(const ProcessIdentity& manager) {
  const RuntimeDir records = AGENTCTL_TRY(open_runtime_dir());
  if (records.is_fallback) return make_error(ErrorKind::environment, "there is no XDG_RUNTIME_DIR of yours");
  const UniqueFd runtime = AGENTCTL_TRY(open_at(records.fd.get(), "..", O_RDONLY | O_DIRECTORY));
  // A boot's pids and times come again in the next one, where the directory is kept.
  const std::string mark = cat(manager.pid, " ", manager.start_time, " ", AGENTCTL_TRY(boot_id()), "\n");
  const auto known = read_file_at(runtime.get(), kMarker);
  if (known && *known == mark) return false;
  AGENTCTL_TRY_VOID(replace_file_at(runtime.get(), kMarker, mark, kMode));
  return true;
}

}  // namespace agentctl::manager::service
