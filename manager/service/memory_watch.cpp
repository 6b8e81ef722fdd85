// SPDX-License-Identifier: Apache-2.0
#include "manager/service/memory_watch.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <string_view>
#include <utility>

#include "base/file.h"
#include "units/cgroup.h"
#include "units/cgroup_file.h"

namespace agentctl::manager::service {
namespace {

// A session that reads and writes many files reaches its limit all the time, as it should.
constexpr std::uint64_t kPauseUsec = 1'000'000;

}  // namespace

std::unique_ptr<MemoryWatch> MemoryWatch::start(EventLoop& loop, const Record& record, Near near) {
  const auto cgroup = units::Cgroup::open(record.cgroup_path);
  if (!cgroup || cgroup->id() != record.cgroup_id || cgroup->version() != 2) return nullptr;
  auto directory = open_at(AT_FDCWD, cgroup->directory(), O_PATH | O_DIRECTORY | O_NOFOLLOW);
  if (!directory) return nullptr;
  auto events = open_at(directory->get(), "memory.events", O_RDONLY);
  if (!events) return nullptr;
  std::unique_ptr<MemoryWatch> made(new MemoryWatch(loop, std::move(near)));
  made->directory_ = std::move(*directory);
  made->events_ = std::move(*events);
  made->hits_ = made->read_hits().value_or(0);
  made->listen();
  return made;
}

MemoryWatch::~MemoryWatch() {
  if (timer_) loop_.cancel(*timer_);
  if (listens_) loop_.forget(events_.get());
}

void MemoryWatch::listen() {
  listens_ = true;
  loop_.watch(events_.get(), POLLPRI, [this](short) { on_events(); });
}

// What happens meanwhile is reported by the first poll after it.
void MemoryWatch::pause() {
  loop_.forget(events_.get());
  listens_ = false;
  timer_ = loop_.after(kPauseUsec, [this] {
    timer_.reset();
    listen();
  });
}

std::optional<std::uint64_t> MemoryWatch::read_hits() {
  char text[1024];
  const ssize_t size = ::pread(events_.get(), text, sizeof text, 0);  // from its start: this re-arms the notification
  if (size < 0) return std::nullopt;
  return units::find_value(std::string_view(text, static_cast<std::size_t>(size)), "max").value_or(0);
}

void MemoryWatch::on_events() {
  const auto hits = read_hits();
  if (!hits) {
    loop_.forget(events_.get());
    listens_ = false;
    return;
  }
  pause();
  if (std::exchange(hits_, *hits) != *hits) look();
}

void MemoryWatch::look() {
  const auto current = units::read_number(directory_, "memory.current");
  const auto max = units::read_number(directory_, "memory.max");
  const auto stat = units::read_text(directory_, "memory.stat");
  if (!current || !max || !stat) return;
  const MemoryUse use = memory_use(*current, *max, *stat);
  if (is_far_from_limit(use)) is_told_ = false;
  if (is_near_limit(use) && !std::exchange(is_told_, true)) near_(use);
}

}  // namespace agentctl::manager::service
