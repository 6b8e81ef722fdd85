// SPDX-License-Identifier: Apache-2.0
// The socket by which other agentctl commands reach a session's supervisor: SOCK_SEQPACKET, one request and one answer
// a connection, both short texts. Only this user and root are heard (SO_PEERCRED). The agent cannot see it: the runtime
// directory is not inside the sandbox.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "base/unique_fd.h"

namespace agentctl::manager {

[[nodiscard]] Result<UniqueFd> listen_control(int session_dir);
// Accepts one connection; an Error for a stranger.
[[nodiscard]] Result<UniqueFd> accept_control(int listener);
// The request of a connection that can be read.
[[nodiscard]] Result<std::string> read_request(int connection);
void answer_control(int connection, const std::string& text);

// Whether a supervisor listens there, whatever its record says and in whichever pid namespace it is.
[[nodiscard]] bool is_listened_to(const std::string& session_dir);

// The other side. wait_answer gives an Error with ETIMEDOUT at the deadline, ECONNRESET when the supervisor went away.
[[nodiscard]] Result<UniqueFd> send_control(const std::string& session_dir, const std::string& request);
[[nodiscard]] Result<std::string> wait_answer(int connection, std::uint64_t deadline_usec);

}  // namespace agentctl::manager
