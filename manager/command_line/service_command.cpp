// SPDX-License-Identifier: Apache-2.0
// What a user's service manager runs at login.
#include "manager/command_line/verbs.h"

namespace agentctl::manager::command_line {

void add_serve(Verbs& verbs) {
  verbs.add("serve", "agentctl serve", "show the sessions on the bus of your login, and take calls, until it is ended",
            plain(std::make_shared<ServeOptions>()));
}

}  // namespace agentctl::manager::command_line
