// SPDX-License-Identifier: Apache-2.0
#include "units/subtree_removal.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <charconv>
#include <memory>

#include "base/event_loop.h"
#include "base/file.h"
#include "base/text.h"

namespace agentctl::units {
namespace {

constexpr int kDeepest = 16;
constexpr std::uint64_t kClearUsec = 2'000'000;
constexpr int kPauseMsec = 1;

struct CloseDir {
  void operator()(DIR* dir) const { ::closedir(dir); }
};

std::vector<std::string> list_children(const std::string& directory) {
  std::vector<std::string> names;
  const std::unique_ptr<DIR, CloseDir> entries(::opendir(directory.c_str()));
  if (!entries) return names;
  while (const dirent* entry = ::readdir(entries.get())) {
    if (entry->d_type == DT_DIR && entry->d_name[0] != '.') names.emplace_back(entry->d_name);
  }
  return names;
}

void kill_members(const std::string& directory, int depth) {
  for (const std::string& child : list_children(directory)) {
    if (depth > 0) kill_members(cat(directory, "/", child), depth - 1);
  }
  const auto text = read_file(cat(directory, "/cgroup.procs"));
  if (!text) return;
  for (const std::string& line : split(*text, '\n')) {
    pid_t pid = 0;
    std::from_chars(line.data(), line.data() + line.size(), pid);
    if (pid > 0) ::kill(pid, SIGKILL);
  }
}

bool remove_deepest_first(const std::string& directory, int depth) {
  for (const std::string& child : list_children(directory)) {
    if (depth > 0) remove_deepest_first(cat(directory, "/", child), depth - 1);
  }
  return ::rmdir(directory.c_str()) == 0 || ::access(directory.c_str(), F_OK) != 0;
}

void search(const std::string& directory, const std::string& name, int depth, std::vector<std::string>& found) {
  for (const std::string& child : list_children(directory)) {
    std::string path = cat(directory, "/", child);
    if (child == name) {
      found.push_back(std::move(path));
    } else if (depth > 0) {
      search(path, name, depth - 1, found);
    }
  }
}

}  // namespace

std::vector<std::string> find_cgroups(const std::string& top, const std::string& name) {
  std::vector<std::string> found;
  search(top, name, kDeepest, found);
  return found;
}

void clear_cgroup(const std::string& directory) {
  const std::uint64_t deadline = monotonic_usec() + kClearUsec;
  while (!remove_deepest_first(directory, kDeepest)) {
    if (monotonic_usec() > deadline) return;
    kill_members(directory, kDeepest);  // at once gone from the cgroup only when they have exited: hence the loop
    ::poll(nullptr, 0, kPauseMsec);
  }
}

}  // namespace agentctl::units
