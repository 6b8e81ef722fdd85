// SPDX-License-Identifier: Apache-2.0
// attach_terminal: this terminal as that of a running session, until the session ends or the user detaches. The
// terminal is raw meanwhile and as it was afterwards, modes that the agent had set included; should this process be
// killed, a guard process sees to that.
#pragma once

#include <string>

#include "base/result.h"

namespace agentctl::manager {

struct AttachEnd {
  enum class Cause { detached, session_ended, refused, lost } cause = Cause::detached;
  std::string text;  // of the supervisor: see MessageKind::end and MessageKind::refusal; not fit for a terminal
};

// `session_directory` holds the control socket.
[[nodiscard]] Result<AttachEnd> attach_terminal(const std::string& session_directory, bool read_only, bool take_over);

}  // namespace agentctl::manager
