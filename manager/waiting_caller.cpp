// SPDX-License-Identifier: Apache-2.0
#include "manager/waiting_caller.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <utility>

#include "base/file.h"

namespace agentctl::manager {
namespace {

Result<UniqueFd> copy_of(int fd) {
  UniqueFd copy(::fcntl(fd, F_DUPFD_CLOEXEC, 3));
  if (!copy.valid()) return errno_error("cannot duplicate a standard stream");
  return copy;
}

Result<void> put_at(int fd, int stream) {
  if (::dup2(fd, stream) < 0) return errno_error("cannot set up the standard streams");
  return {};
}

}  // namespace

WaitingCaller::WaitingCaller(UniqueFd channel, UniqueFd own_error, const DetachedRequest& request)
    : channel_(std::move(channel)), own_error_(std::move(own_error)), session_id_(request.session_id) {
  window_.ws_row = request.window.rows;
  window_.ws_col = request.window.columns;
}

Result<WaitingCaller> WaitingCaller::take(const Handover& handover) {
  UniqueFd channel = AGENTCTL_TRY(copy_of(STDIN_FILENO));
  UniqueFd own_error = AGENTCTL_TRY(copy_of(STDERR_FILENO));
  const UniqueFd nothing = AGENTCTL_TRY(open_at(AT_FDCWD, "/dev/null", O_RDONLY));
  AGENTCTL_TRY_VOID(put_at(nothing.get(), STDIN_FILENO));
  AGENTCTL_TRY_VOID(put_at(handover.standard_error.get(), STDERR_FILENO));
  return WaitingCaller(std::move(channel), std::move(own_error), handover.request);
}

Result<void> WaitingCaller::check_waits() {
  pollfd state{channel_.get(), POLLIN, 0};
  if (::poll(&state, 1, 0) == 0) return {};
  take_own_error_back();  // whoever has gone has got the prompt back
  return make_error(ErrorKind::system, "the one who asked for the session has gone");
}

void WaitingCaller::tell_running(const std::string& name, const std::string& id) {
  told_ = true;
  take_own_error_back();
  DetachedAnswer answer;
  answer.kind = DetachedAnswer::Kind::running;
  answer.name = name;
  answer.id = id;
  (void)send_answer(channel_.get(), answer);  // one who has gone is told by the end of file that comes
}

void WaitingCaller::tell_ended(int status) {
  take_own_error_back();
  if (std::exchange(told_, true)) return;
  DetachedAnswer answer;
  answer.status = status;
  (void)send_answer(channel_.get(), answer);
}

bool WaitingCaller::has_heard() {
  const bool heard = receive_heard(channel_.get());
  channel_.reset();
  return heard;
}

void WaitingCaller::take_own_error_back() {
  if (own_error_.valid()) (void)put_at(own_error_.get(), STDERR_FILENO);
  own_error_.reset();
}

}  // namespace agentctl::manager
