// SPDX-License-Identifier: Apache-2.0
#include "egress/net_log.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <utility>

#include "base/clock.h"

namespace agentctl::egress {
namespace {

constexpr std::uint64_t kLargestLog = 4ULL * 1024 * 1024;

}  // namespace

NetLog::NetLog(EventLoop& loop, UniqueFd file) : loop_(loop), file_(std::move(file)) {
  struct stat status {};
  if (file_.valid() && ::fstat(file_.get(), &status) == 0) size_ = static_cast<std::uint64_t>(status.st_size);
}

NetLog::~NetLog() {
  if (timer_ != 0) loop_.cancel(timer_);
  for (const NetEvent& event : limiter_.take_all()) write(event);
}

void NetLog::add(NetEvent event) {
  if (!event.denial) return write(event);
  if (const auto admitted = limiter_.admit(std::move(event), monotonic_usec())) write(*admitted);
  wait_for_due();
}

void NetLog::wait_for_due() {
  const auto due = limiter_.due_usec();
  if (timer_ != 0 || !due) return;
  const std::uint64_t now = monotonic_usec();
  timer_ = loop_.after(*due > now ? *due - now : 0, [this] { write_due(); });
}

void NetLog::write_due() {
  timer_ = 0;
  for (const NetEvent& event : limiter_.take_due(monotonic_usec())) write(event);
  wait_for_due();
}

void NetLog::write(const NetEvent& event) {
  if (!file_.valid()) return;
  const std::string line = log_line(event);
  if (size_ + line.size() > kLargestLog) drop_older_half();
  const ssize_t written = ::pwrite(file_.get(), line.data(), line.size(), static_cast<off_t>(size_));
  if (written == static_cast<ssize_t>(line.size())) {
    size_ += line.size();
  } else if (written >= 0) {
    (void)!::ftruncate(file_.get(), static_cast<off_t>(size_));  // no half lines
  }
}

void NetLog::drop_older_half() {
  std::string kept(size_ / 2, '\0');
  const ssize_t read = ::pread(file_.get(), kept.data(), kept.size(), static_cast<off_t>(size_ - kept.size()));
  kept.resize(static_cast<std::size_t>(std::max<ssize_t>(read, 0)));
  kept.erase(0, std::min(kept.find('\n'), kept.size() - 1) + 1);
  const ssize_t written = ::pwrite(file_.get(), kept.data(), kept.size(), 0);
  size_ = static_cast<std::uint64_t>(std::max<ssize_t>(written, 0));
  (void)!::ftruncate(file_.get(), static_cast<off_t>(size_));
}

}  // namespace agentctl::egress
