// SPDX-License-Identifier: Apache-2.0
#include "manager/session_log.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"
#include "manager/session_dir.h"

namespace agentctl::manager {

std::string log_directory(const std::string& state_dir, const std::string& session_id) {
  return cat(state_dir, "/logs/", session_id);
}

void remove_session_log(const std::string& state_dir, const std::string& session_id) {
  const auto logs = open_at(AT_FDCWD, state_dir + "/logs", O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  if (logs) remove_session_dir(logs->get(), session_id);
}

SessionLog::SessionLog(std::string state_dir, std::string session_id,
                       std::function<void(const std::string&)> on_trouble, LogBounds bounds)
    : state_dir_(std::move(state_dir)),
      id_(std::move(session_id)),
      on_trouble_(std::move(on_trouble)),
      bounds_(bounds) {}

void SessionLog::write(std::string_view bytes) {
  if (lost_ > 0) {
    if (monotonic_usec() < next_try_usec_) {
      lost_ += bytes.size();
      return;
    }
    const std::string mark = cat("\r\n[… ", lost_, " bytes of output lost: ", cause_, "]\r\n");
    std::string_view unwritten = mark;
    if (const auto written = write_some(unwritten); !written) return note_loss(bytes.size(), written.error());
    lost_ = 0;
  }
  if (const auto written = write_some(bytes); !written) note_loss(bytes.size(), written.error());
}

// Takes away from `bytes` what was written.
Result<void> SessionLog::write_some(std::string_view& bytes) {
  while (!bytes.empty()) {
    if (!segment_.valid() || size_ >= bounds_.segment_bytes) AGENTCTL_TRY_VOID(open_segment());
    const std::size_t room = static_cast<std::size_t>(bounds_.segment_bytes - size_);
    const ssize_t count = ::write(segment_.get(), bytes.data(), std::min(bytes.size(), room));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno_error("cannot write the log");
    size_ += static_cast<std::uint64_t>(count);
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return {};
}

Result<void> SessionLog::open_segment() {
  ::signal(SIGXFSZ, SIG_IGN);  // a limit of the caller's on the size of files is an error like any other (setrlimit(2))
  const UniqueFd directory = AGENTCTL_TRY(own_directory(log_directory(state_dir_, id_)));
  segment_ =
      AGENTCTL_TRY(open_at(directory.get(), cat(number_), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW, 0600));
  if (number_ >= 2) ::unlinkat(directory.get(), cat(number_ - 2).c_str(), 0);
  size_ = 0;
  ++number_;
  return {};
}

void SessionLog::note_loss(std::size_t bytes, const Error& error) {
  lost_ += bytes;
  next_try_usec_ = monotonic_usec() + bounds_.retry_usec;
  cause_ = error.message;
  if (on_trouble_) std::exchange(on_trouble_, nullptr)(cat("output is missing from the log: ", error.message));
}

}  // namespace agentctl::manager
