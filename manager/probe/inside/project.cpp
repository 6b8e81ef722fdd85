// SPDX-License-Identifier: Apache-2.0
// Attempts in the project that the host half has made for it: what is hidden or protected there, and ways out of it.
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "manager/probe/inside/attempt.h"

namespace agentctl::probe {
namespace {

bool planted(Outcome& outcome, char (&path)[512], const char* name) {
  if (!is_told("planted")) {
    skip(outcome, "only in a project that the probe makes");
    return false;
  }
  std::snprintf(path, sizeof path, "%s/%s", told("project"), name);
  return true;
}

void read_planted(Outcome& outcome, const char* name) {
  char path[512];
  if (planted(outcome, path, name)) read_secret(outcome, AT_FDCWD, path);
}

void write_planted(Outcome& outcome, const char* name, int flags) {
  char path[512];
  if (!planted(outcome, path, name)) return;
  const int fd = ::open(path, O_WRONLY | O_CLOEXEC | O_APPEND | flags, 0600);
  if (fd < 0) return by_success(outcome, -1);
  by_success(outcome, ::write(fd, "#Z\n", 3));
}

void hidden_file(Outcome& outcome) { read_planted(outcome, ".env"); }
void hidden_key(Outcome& outcome) { read_planted(outcome, "deep/server.key"); }
void link_out(Outcome& outcome) { read_planted(outcome, "link-out"); }
void hook_write(Outcome& outcome) { write_planted(outcome, ".git/hooks/pre-commit", 0); }
void hook_make(Outcome& outcome) { write_planted(outcome, ".git/hooks/post-checkout", O_CREAT); }
void git_config(Outcome& outcome) { write_planted(outcome, ".git/config", 0); }
void git_attributes(Outcome& outcome) { write_planted(outcome, ".git/info/attributes", 0); }

// An editor's way to save, git's too: a new file renamed over the old one.
void config_replace(Outcome& outcome) {
  char lock[512];
  char path[512];
  char text[1024];
  if (!planted(outcome, lock, ".git/config.probe") || !planted(outcome, path, ".git/config")) return;
  const long length = read_file(AT_FDCWD, path, text, sizeof text);
  const int fd = ::open(lock, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) return by_success(outcome, -1);
  if (length > 0) (void)!::write(fd, text, static_cast<std::size_t>(length));
  (void)!::write(fd, "#Y\n", 3);
  ::close(fd);
  by_success(outcome, ::rename(lock, path));
  const int error = errno;
  ::unlink(lock);
  errno = error;
}

void git_rename(Outcome& outcome) {
  char path[512];
  char aside[512];
  if (!planted(outcome, path, ".git") || !planted(outcome, aside, ".git-aside")) return;
  by_success(outcome, ::rename(path, aside));
  (void)::rename(aside, path);
}

void git_exchange(Outcome& outcome) {
  char path[512];
  char other[512];
  if (!planted(outcome, path, ".git") || !planted(outcome, other, ".git-other")) return;
  (void)::mkdir(other, 0700);
  by_success(outcome, ::syscall(SYS_renameat2, AT_FDCWD, path, AT_FDCWD, other, RENAME_EXCHANGE));
  if (outcome.finding == Finding::open)
    (void)::syscall(SYS_renameat2, AT_FDCWD, path, AT_FDCWD, other, RENAME_EXCHANGE);
  ::rmdir(other);
}

void git_case(Outcome& outcome) {
  char path[512];
  if (!planted(outcome, path, ".GIT/config")) return;
  if (::access(path, F_OK) != 0) return skip(outcome, "the file system keeps upper and lower case apart");
  const int fd = ::open(path, O_WRONLY | O_CLOEXEC | O_APPEND);
  by_success(outcome, fd < 0 ? -1 : ::write(fd, "#X\n", 3));
}

void commondir(Outcome& outcome) { write_planted(outcome, ".git/commondir", O_CREAT); }

void hard_link(Outcome& outcome) {
  char path[512];
  char from[512];
  if (!planted(outcome, path, "linked")) return;
  std::snprintf(from, sizeof from, "%s/linked", told("outside"));
  by_success(outcome, ::link(from, path));
}

// The host half replaces one hidden file as an editor does and makes another anew, while this process waits; then it
// reads again, and so does the next attempt.
void replaced_file(Outcome& outcome) {
  char path[512];
  constexpr int kTries = 20;
  constexpr unsigned kBetweenUsec = 25'000;  // in all: half a second, in which the mask must be back
  if (!planted(outcome, path, "replaced.key")) return;
  if (!wait_for_host("replace")) return skip(outcome, "the host half did not answer");
  for (int attempt = 0; attempt < kTries; ++attempt) ::usleep(kBetweenUsec);
  read_secret(outcome, AT_FDCWD, path);
}

void deleted_file(Outcome& outcome) { read_planted(outcome, "deleted.key"); }

constexpr Attempt kAttempts[] = {
    {"hidden-file", hidden_file},
    {"hidden-key", hidden_key},
    {"replaced-file", replaced_file},
    {"deleted-file", deleted_file},
    {"link-out", link_out},
    {"hook-write", hook_write},
    {"hook-make", hook_make},
    {"git-config", git_config},
    {"git-config-replace", config_replace},
    {"git-attributes", git_attributes},
    {"git-rename", git_rename},
    {"git-exchange", git_exchange},
    {"git-case", git_case},
    {"git-commondir", commondir},
    {"hard-link", hard_link},
};

}  // namespace

AttemptList project_attempts() { return {kAttempts, sizeof kAttempts / sizeof kAttempts[0]}; }

}  // namespace agentctl::probe
