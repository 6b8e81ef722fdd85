// SPDX-License-Identifier: Apache-2.0
#include "manager/session_dir.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <memory>

#include "base/file.h"
#include "base/text.h"

namespace agentctl::manager {
namespace {

constexpr int kLockRounds = 400;
constexpr int kLockRoundMsec = 5;

// flock has no deadline, and its holder may be stopped.
Result<void> lock_within(const UniqueFd& directory, const std::string& path, const char* held) {
  for (int round = 0; round < kLockRounds; ++round) {
    if (::flock(directory.get(), LOCK_EX | LOCK_NB) == 0) return {};
    if (errno != EWOULDBLOCK && errno != EINTR) return errno_error(cat("cannot lock '", path, "'"));
    ::poll(nullptr, 0, kLockRoundMsec);
  }
  return make_error(ErrorKind::system, held, cat("see who holds a lock on ", shell_quote(path), ": lslocks"));
}

}  // namespace

void remove_session_dir(int parent, const std::string& name) {
  auto fd = open_at(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  if (fd) {
    const std::unique_ptr<DIR, int (*)(DIR*)> dir(::fdopendir(fd->get()), ::closedir);
    if (dir) {
      (void)fd->release();  // closedir owns it now
      while (const dirent* entry = ::readdir(dir.get())) ::unlinkat(::dirfd(dir.get()), entry->d_name, 0);
    }
  }
  ::unlinkat(parent, name.c_str(), AT_REMOVEDIR);
}

Result<UniqueFd> lock_names(const RuntimeDir& runtime) {
  UniqueFd lock = AGENTCTL_TRY(open_at(runtime.fd.get(), ".", O_RDONLY | O_DIRECTORY));  // a description of its own
  AGENTCTL_TRY_VOID(lock_within(lock, runtime.path, "another start is choosing its name and does not go on"));
  return lock;
}

Result<UniqueFd> lock_limits(const std::string& directory) {
  UniqueFd lock = AGENTCTL_TRY(open_at(AT_FDCWD, directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
  AGENTCTL_TRY_VOID(lock_within(lock, directory, "another command is changing its limits and does not go on"));
  return lock;
}

Result<SessionDir> SessionDir::create(const RuntimeDir& runtime, const Record& record) {
  const std::string context = cat("cannot record the session in '", runtime.path, "'");
  UniqueFd parent(::fcntl(runtime.fd.get(), F_DUPFD_CLOEXEC, 3));
  if (!parent.valid()) return errno_error(context);
  // The pid in the unfinished name lets a sweep tell a dead starter from one that is at work.
  const std::string unfinished = cat(".", record.id, ".", ::getpid());
  if (::mkdirat(parent.get(), unfinished.c_str(), 0700) != 0) return errno_error(context);
  auto prepare = [&]() -> Result<SessionDir> {
    UniqueFd fd = AGENTCTL_TRY(open_at(parent.get(), unfinished, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
    AGENTCTL_TRY_VOID(replace_file_at(fd.get(), "record", serialize(record), 0600));
    if (::renameat(parent.get(), unfinished.c_str(), parent.get(), record.id.c_str()) != 0) {
      return errno_error("cannot give it its name");
    }
    return SessionDir(std::move(parent), std::move(fd), record.id, cat(runtime.path, "/", record.id));
  };
  auto dir = prepare();
  if (!dir) {
    remove_session_dir(runtime.fd.get(), unfinished);
    dir.error().prepend(context);
  }
  return dir;
}

SessionDir::~SessionDir() {
  if (parent_.valid()) remove_session_dir(parent_.get(), name_);
}

Result<void> SessionDir::write(const Record& record) const {
  return with_context("cannot write the session's record",
                      replace_file_at(fd_.get(), "record", serialize(record), 0600));
}

Result<void> SessionDir::write_environment(const std::vector<std::string>& variables) const {
  std::string text;
  for (const std::string& variable : variables) text.append(variable.c_str(), variable.size() + 1);
  const UniqueFd file = AGENTCTL_TRY(open_at(fd_.get(), kEnvironmentFile, O_WRONLY | O_CREAT | O_EXCL, 0600));
  return with_context("cannot write the session's environment", write_all(file.get(), text));
}

}  // namespace agentctl::manager
