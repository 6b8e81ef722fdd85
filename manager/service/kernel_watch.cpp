// SPDX-License-Identifier: Apache-2.0
#include "manager/service/kernel_watch.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <optional>
#include <string>
#include <utility>

#include "base/file.h"
#include "base/process.h"
#include "base/text.h"
#include "units/cgroup.h"
#include "units/cgroup_file.h"

namespace agentctl::manager::service {
namespace {

// From its start, which re-arms the notification. None: the cgroup is gone.
std::optional<std::string> read_again(const UniqueFd& file) {
  char text[1024];
  const ssize_t size = ::pread(file.get(), text, sizeof text, 0);
  if (size < 0) return std::nullopt;
  return std::string(text, static_cast<std::size_t>(size));
}

bool has_ended(int pidfd) {
  pollfd ended{pidfd, POLLIN, 0};
  return ::poll(&ended, 1, 0) == 1;
}

}  // namespace

std::unique_ptr<KernelWatch> KernelWatch::start(EventLoop& loop, const Record& record, Listener listener) {
  auto pidfd = open_pidfd(record.supervisor.pid);
  // Opened first, then compared: the descriptor is of the process that was compared.
  if (!pidfd || !is_alive(record.supervisor)) return nullptr;
  std::unique_ptr<KernelWatch> made(new KernelWatch(loop, std::move(listener)));
  made->supervisor_ = std::move(*pidfd);
  loop.watch(made->supervisor_.get(), POLLIN, [self = made.get()](short) {
    if (!has_ended(self->supervisor_.get())) return;
    self->forget(self->supervisor_);
    const auto tell = self->listener_.supervisor_ended;  // it may destroy this
    tell();
  });
  made->follow(record);
  return made;
}

KernelWatch::~KernelWatch() {
  for (UniqueFd* fd : {&supervisor_, &cgroup_events_}) forget(*fd);
}

void KernelWatch::forget(UniqueFd& fd) {
  if (!fd.valid()) return;
  loop_.forget(fd.get());
  fd.reset();
}

void KernelWatch::follow(const Record& record) {
  if (record.cgroup_path.empty() || record.cgroup_id == cgroup_id_) return;
  const auto cgroup = units::Cgroup::open(record.cgroup_path);
  if (!cgroup || cgroup->id() != record.cgroup_id) return;
  cgroup_id_ = record.cgroup_id;
  if (auto events = cgroup->open_events()) {
    cgroup_events_ = std::move(*events);
    (void)read_again(cgroup_events_);  // else the first poll reports what has been so before
    loop_.watch(cgroup_events_.get(), POLLPRI, [this](short) { on_cgroup_events(); });
  }
  is_frozen_ = cgroup->frozen();
  if (cgroup->version() != 2) return;
  oom_kills_ = cgroup->read_usage().oom_kills;
  if (auto events = open_at(AT_FDCWD, cat(cgroup->directory(), "/memory.events"), O_RDONLY)) {
    memory_events_ =
        PacedEvents::start(loop_, std::move(*events), [this](std::string_view text) { on_memory_events(text); });
  }
}

void KernelWatch::on_cgroup_events() {
  const auto text = read_again(cgroup_events_);
  if (!text) return forget(cgroup_events_);
  const bool is_frozen = units::find_value(*text, "frozen") == 1U;
  if (std::exchange(is_frozen_, is_frozen) == is_frozen) return;
  const auto tell = listener_.frozen_or_thawed;
  tell();
}

void KernelWatch::on_memory_events(std::string_view text) {
  const std::uint64_t kills = units::find_value(text, "oom_kill").value_or(0);
  if (std::exchange(oom_kills_, kills) >= kills) return;
  const auto tell = listener_.oom_killed;
  tell();
}

}  // namespace agentctl::manager::service
