// SPDX-License-Identifier: Apache-2.0
#include "manager/probe/leftover.h"

#include <dirent.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <vector>

#include "base/file.h"
#include "base/process.h"
#include "base/text.h"

namespace agentctl::probe {
namespace {

constexpr int kShortlyMsec = 500;
constexpr int kDeathMsec = 5000;
constexpr int kRounds = 5;  // one may have made another meanwhile

struct CloseDirectory {
  void operator()(DIR* stream) const { ::closedir(stream); }
};

struct Leftover {
  pid_t pid;
  UniqueFd pidfd;
};

bool has_word(pid_t pid, const std::string& word) {
  const auto text = read_file(cat("/proc/", pid, "/cmdline"));
  if (!text) return false;
  bool found = false;
  for_each_part(*text, '\0', [&](std::string_view part) { found = found || part == word; });
  return found;
}

std::vector<Leftover> find(const std::string& word) {
  std::vector<Leftover> found;
  const std::unique_ptr<DIR, CloseDirectory> stream(::opendir("/proc"));
  while (const dirent* entry = stream ? ::readdir(stream.get()) : nullptr) {
    const auto pid = static_cast<pid_t>(std::strtol(entry->d_name, nullptr, 10));
    if (pid <= 0 || pid == ::getpid() || !has_word(pid, word)) continue;
    auto pidfd = open_pidfd(pid);
    if (pidfd && has_word(pid, word)) found.push_back({pid, std::move(*pidfd)});  // the same after it was held
  }
  return found;
}

bool has_ended(const Leftover& process, int msec) {
  pollfd ended{process.pidfd.get(), POLLIN, 0};
  return ::poll(&ended, 1, msec) == 1;
}

}  // namespace

bool end_leftovers(const std::string& word) {
  bool survived = false;
  std::vector<Leftover> found = find(word);
  for (int round = 0; round < kRounds && !found.empty(); ++round, found = find(word)) {
    for (const Leftover& process : found) {
      if (!has_ended(process, kShortlyMsec)) {
        survived = true;
        (void)signal_pidfd(process.pidfd.get(), SIGKILL);
        (void)has_ended(process, kDeathMsec);
      }
      ::waitpid(process.pid, nullptr, WNOHANG);  // ours, if its parent has ended before it
    }
  }
  return survived;
}

}  // namespace agentctl::probe
