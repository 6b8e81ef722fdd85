// SPDX-License-Identifier: Apache-2.0
#include "units/manager_connection.h"

namespace agentctl::units {
Result<std::unique_ptr<ManagerConnection>> connect_manager(ManagerKind, const std::string&, const Deadlines&) {
  return make_error(ErrorKind::environment, "no manager is reached yet");
}
void remove_private_subtree(const std::string&) {}
}  // namespace agentctl::units
