// SPDX-License-Identifier: Apache-2.0
#include "manager/service/memory_watch.h"

#include <fcntl.h>

#include <utility>

#include "base/file.h"
#include "units/cgroup.h"
#include "units/cgroup_file.h"

namespace agentctl::manager::service {
namespace {

std::uint64_t hits_in(std::string_view text) { return units::find_value(text, "max").value_or(0); }

}  // namespace

std::unique_ptr<MemoryWatch> MemoryWatch::start(EventLoop& loop, const Record& record, Near near) {
  const auto cgroup = units::Cgroup::open(record.cgroup_path);
  if (!cgroup || cgroup->id() != record.cgroup_id || cgroup->version() != 2) return nullptr;
  auto directory = open_at(AT_FDCWD, cgroup->directory(), O_PATH | O_DIRECTORY | O_NOFOLLOW);
  if (!directory) return nullptr;
  auto events = open_at(directory->get(), "memory.events", O_RDONLY);
  const auto text = units::read_text(*directory, "memory.events");
  if (!events || !text) return nullptr;
  std::unique_ptr<MemoryWatch> made(new MemoryWatch(std::move(*directory), std::move(near)));
  made->hits_ = hits_in(*text);
  made->events_ =
      PacedEvents::start(loop, std::move(*events), [self = made.get()](std::string_view now) { self->on_events(now); });
  return made;
}

void MemoryWatch::on_events(std::string_view text) {
  const std::uint64_t hits = hits_in(text);
  if (std::exchange(hits_, hits) != hits) look();
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
