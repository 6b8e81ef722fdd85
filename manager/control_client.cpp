// SPDX-License-Identifier: Apache-2.0
#include "manager/control_client.h"

#include "base/process.h"
#include "base/text.h"
#include "manager/control_answer.h"
#include "manager/control_socket.h"

namespace agentctl::manager {
namespace {

constexpr std::uint64_t kAnswerUsec = 10'000'000;

}  // namespace

Result<void> request_answer(const KnownSession& session, const ControlRequest& request) {
  const auto supervisor = read_process_stat(session.record.supervisor.pid);
  if (supervisor && supervisor->state == 'T') {
    return make_error(ErrorKind::system, "it is suspended with Ctrl-Z, and its supervisor hears nothing",
                      "continue it with fg in its terminal");
  }
  const UniqueFd connection = AGENTCTL_TRY(send_control(session.directory, to_text(request)));
  const std::string answer = AGENTCTL_TRY(wait_answer(connection.get(), kAnswerUsec));
  return parse_answer(answer);
}

Result<void> ask_session(const KnownSession& session, const ControlRequest& request) {
  return with_context(cat("'", session.record.name, "'"), request_answer(session, request));
}

}  // namespace agentctl::manager
