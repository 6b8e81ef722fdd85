// SPDX-License-Identifier: Apache-2.0
#include "manager/probe/dead_probe.h"

#include <dirent.h>
#include <fcntl.h>
#include <mqueue.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <vector>

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/text.h"
#include "bwrap/path_resolution.h"
#include "bwrap/tree_removal.h"
#include "manager/probe/leftover.h"
#include "manager/probe/plantings.h"

namespace agentctl::probe {
namespace {

constexpr std::string_view kHead = "agentctl-probe-";
constexpr std::size_t kRandomCharacters = 6;
constexpr std::size_t kMostBytes = 1U << 16;
constexpr std::uint64_t kRemovalUsec = 5'000'000;
constexpr unsigned kModeOfOurs = 0600;

struct CloseDirectory {
  void operator()(DIR* stream) const { ::closedir(stream); }
};

std::uint64_t number_at_front(std::string_view& text) {
  std::uint64_t number = 0;
  std::size_t digits = 0;
  while (digits < text.size() && digits < 19 && text[digits] >= '0' && text[digits] <= '9')
    number = number * 10 + static_cast<unsigned>(text[digits++] - '0');
  text.remove_prefix(digits);
  return number;
}

bool is_own_directory(int fd) {
  struct stat status {};
  return ::fstat(fd, &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == ::getuid() &&
         (status.st_mode & 0077U) == 0;
}

// The last name alone is removed, and that is no link.
void remove_file(const std::string& path, const std::string& mark) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos || path.find(mark, slash) == std::string::npos) return;
  const auto parent = open_at(AT_FDCWD, bwrap::parent_path(path), O_PATH | O_DIRECTORY);
  if (!parent) return;
  const std::string name = path.substr(slash + 1);
  struct stat status {};
  if (::fstatat(parent->get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0 || status.st_uid != ::getuid()) return;
  if (S_ISREG(status.st_mode) || S_ISSOCK(status.st_mode)) ::unlinkat(parent->get(), name.c_str(), 0);
}

key_t key_in(const std::string& text) { return static_cast<key_t>(std::strtol(text.c_str(), nullptr, 10)); }

void remove_shared_memory(const std::string& key, pid_t maker) {
  shmid_ds status{};
  const int segment = ::shmget(key_in(key), 0, 0);
  if (segment < 0 || ::shmctl(segment, IPC_STAT, &status) != 0) return;
  if (status.shm_perm.cuid == ::getuid() && status.shm_cpid == maker) ::shmctl(segment, IPC_RMID, nullptr);
}

void remove_queue(const std::string& key) {
  msqid_ds status{};
  const int queue = ::msgget(key_in(key), 0);
  if (queue < 0 || ::msgctl(queue, IPC_STAT, &status) != 0) return;
  const bool is_ours = status.msg_perm.cuid == ::getuid() && (status.msg_perm.mode & 0777U) == kModeOfOurs;
  if (is_ours) ::msgctl(queue, IPC_RMID, nullptr);
}

void remove_posix_queue(const std::string& name, const std::string& mark) {
  if (name != cat("/", mark)) return;
  const mqd_t queue = ::mq_open(name.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (queue == static_cast<mqd_t>(-1)) return;
  struct stat status {};
  if (::fstat(queue, &status) == 0 && status.st_uid == ::getuid()) ::mq_unlink(name.c_str());
  ::mq_close(queue);
}

void remove_planting(const Planting& planting, const std::string& mark, const ProcessIdentity& owner) {
  switch (planting.kind) {
    case PlantingKind::mark:
      return;
    case PlantingKind::file:
      return remove_file(planting.what, mark);
    case PlantingKind::shared_memory:
      return remove_shared_memory(planting.what, owner.pid);
    case PlantingKind::queue:
      return remove_queue(planting.what);
    case PlantingKind::posix_queue:
      return remove_posix_queue(planting.what, mark);
    case PlantingKind::run:
      if (planting.what.starts_with("report=")) (void)end_leftovers(planting.what);
      return;
  }
}

void remove_plantings(int scratch, const ProcessIdentity& owner) {
  const auto file = open_at(scratch, kPlantingsFile, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  if (!file) return;  // it had planted nothing
  std::string text(kMostBytes, '\0');
  const ssize_t size = ::read(file->get(), text.data(), text.size());
  text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  std::string mark;
  for_each_part(text, '\n', [&](std::string_view line) {
    const auto planting = read_planting(line);
    if (!planting) return;
    if (planting->kind == PlantingKind::mark && is_mark(planting->what)) mark = planting->what;
    if (!mark.empty()) remove_planting(*planting, mark, owner);
  });
}

void sweep(int parent, const std::string& name) {
  const auto owner = owner_of_scratch(name);
  if (!owner || is_alive(*owner)) return;
  const auto scratch = open_at(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  if (!scratch || !is_own_directory(scratch->get()) || ::flock(scratch->get(), LOCK_EX | LOCK_NB) != 0) return;
  remove_plantings(scratch->get(), *owner);
  const auto removed = bwrap::remove_tree(parent, name, monotonic_usec() + kRemovalUsec);
  if (!removed) log::debug(removed.error().message);
}

}  // namespace

std::string scratch_template(const ProcessIdentity& owner) {
  return cat(kScratchParent, "/", kHead, owner.pid, "-", owner.start_time, "-XXXXXX");
}

Result<ProcessIdentity> owner_of_scratch(std::string_view name) {
  const auto refuse = [] { return make_error(ErrorKind::internal, "no scratch place of a probe"); };
  if (!name.starts_with(kHead)) return refuse();
  name.remove_prefix(kHead.size());
  ProcessIdentity owner;
  owner.pid = static_cast<pid_t>(number_at_front(name));
  if (owner.pid <= 0 || !name.starts_with('-')) return refuse();
  name.remove_prefix(1);
  owner.start_time = number_at_front(name);
  if (owner.start_time == 0 || !name.starts_with('-') || name.size() != kRandomCharacters + 1) return refuse();
  name.remove_prefix(1);
  if (name.find_first_of("/.") != std::string_view::npos) return refuse();
  return owner;
}

void sweep_dead_probes() {
  const std::unique_ptr<DIR, CloseDirectory> stream(::opendir(kScratchParent));
  if (stream == nullptr) return;
  std::vector<std::string> names;
  while (const dirent* entry = ::readdir(stream.get())) {
    if (owner_of_scratch(entry->d_name)) names.emplace_back(entry->d_name);
  }
  for (const std::string& name : names) sweep(::dirfd(stream.get()), name);
}

}  // namespace agentctl::probe
