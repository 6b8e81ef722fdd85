// SPDX-License-Identifier: Apache-2.0
#include "units/user_manager.h"

#include <string>

#include "base/text.h"
#include "units/bus_address.h"

namespace agentctl::units {
namespace {

constexpr unsigned kConnectMsec = 1000;

}  // namespace

Result<ProcessIdentity> identify_user_manager() {
  constexpr std::string_view kContext = "cannot tell which service manager this is";
  const AddressSources sources = read_address_sources();
  const std::string runtime_dir = sources.runtime_dir.value_or(cat("/run/user/", sources.user));
  // Who called listen(2) on it is its peer (unix(7), SO_PEERCRED).
  const ManagerSocket manager = AGENTCTL_TRY(
      with_context(kContext, connect_socket(cat(runtime_dir, "/systemd/private"), sources.user, kConnectMsec)));
  if (manager.peer == 0) {
    return make_error(ErrorKind::environment, cat(kContext, ": it is in another pid namespace"));
  }
  return with_context(kContext, identify_process(manager.peer));
}

}  // namespace agentctl::units
