// SPDX-License-Identifier: Apache-2.0
#include "manager/service/paced_events.h"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <utility>

namespace agentctl::manager::service {
namespace {

constexpr std::uint64_t kPauseUsec = 1'000'000;
using Buffer = std::array<char, 1024>;

// From its start, which re-arms the notification. None: the cgroup is gone.
std::optional<std::string_view> read_again(const UniqueFd& file, Buffer& buffer) {
  const ssize_t size = ::pread(file.get(), buffer.data(), buffer.size(), 0);
  if (size < 0) return std::nullopt;
  return std::string_view(buffer.data(), static_cast<std::size_t>(size));
}

}  // namespace

std::unique_ptr<PacedEvents> PacedEvents::start(EventLoop& loop, UniqueFd file, Changed changed) {
  std::unique_ptr<PacedEvents> made(new PacedEvents(loop, std::move(file), std::move(changed)));
  Buffer buffer;
  (void)read_again(made->file_, buffer);  // else the first poll reports what has been so before
  made->listen();
  return made;
}

PacedEvents::~PacedEvents() {
  if (timer_) loop_.cancel(*timer_);
  stop_listening();
}

void PacedEvents::listen() {
  listens_ = true;
  loop_.watch(file_.get(), POLLPRI, [this](short) { on_change(); });
}

void PacedEvents::stop_listening() {
  if (std::exchange(listens_, false)) loop_.forget(file_.get());
}

// What changes during the pause is reported by the first poll after it. Forgotten meanwhile: the kernel cannot be asked
// to leave the POLLERR out with which such a file tells of a change.
void PacedEvents::on_change() {
  stop_listening();
  Buffer buffer;
  const auto text = read_again(file_, buffer);
  if (!text) return;
  timer_ = loop_.after(kPauseUsec, [this] {
    timer_.reset();
    listen();
  });
  const Changed changed = changed_;
  changed(*text);
}

}  // namespace agentctl::manager::service
