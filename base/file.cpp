// SPDX-License-Identifier: Apache-2.0
#include "base/file.h"

#include <fcntl.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstdlib>

#include "base/text.h"

namespace agentctl {

Result<UniqueFd> open_at(int dir, const std::string& path, int flags, mode_t mode) {
  const int fd = ::openat(dir, path.c_str(), flags | O_CLOEXEC, mode);
  if (fd < 0) return errno_error(cat("cannot open '", path, "'"));
  return UniqueFd(fd);
}

Result<std::string> read_file(const std::string& path, std::size_t limit) {
  return read_file_at(AT_FDCWD, path, limit);
}

Result<std::string> read_file_at(int dir, const std::string& path, std::size_t limit) {
  const UniqueFd fd = AGENTCTL_TRY(open_at(dir, path, O_RDONLY | O_NOCTTY | O_NONBLOCK));
  std::string data;
  char block[4096];
  while (true) {
    const ssize_t count = ::read(fd.get(), block, sizeof block);
    if (count == 0) return data;
    if (count < 0) {
      if (errno == EINTR) continue;
      return errno_error(cat("cannot read '", path, "'"));
    }
    data.append(block, static_cast<std::size_t>(count));
    if (data.size() > limit) return errno_error(EFBIG, cat("cannot read '", path, "'"));
  }
}

Result<void> write_all(int fd, std::string_view data) {
  while (!data.empty()) {
    const ssize_t count = ::write(fd, data.data(), data.size());
    if (count < 0) {
      if (errno == EINTR) continue;
      return errno_error("cannot write");
    }
    data.remove_prefix(static_cast<std::size_t>(count));
  }
  return {};
}

Result<void> write_control_file_at(int dir, const std::string& path, std::string_view data) {
  const UniqueFd fd = AGENTCTL_TRY(open_at(dir, path, O_WRONLY));
  if (::write(fd.get(), data.data(), data.size()) < 0) return errno_error(cat("cannot write '", path, "'"));
  return {};
}

std::string unfinished_name(const std::string& name, pid_t pid) { return cat(".", name, ".", pid); }

Result<void> replace_file_at(int dir, const std::string& name, std::string_view data, mode_t mode) {
  const std::string temporary = unfinished_name(name, ::getpid());
  ::unlinkat(dir, temporary.c_str(), 0);
  {
    const UniqueFd fd = AGENTCTL_TRY(open_at(dir, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode));
    if (auto written = write_all(fd.get(), data); !written) {
      ::unlinkat(dir, temporary.c_str(), 0);
      written.error().prepend(cat("cannot write '", name, "'"));
      return std::move(written).error();
    }
  }
  if (::renameat(dir, temporary.c_str(), dir, name.c_str()) != 0) {
    Error error = errno_error(cat("cannot replace '", name, "'"));
    ::unlinkat(dir, temporary.c_str(), 0);
    return error;
  }
  return {};
}

Result<UniqueFd> own_directory(const std::string& path, mode_t mode) {
  // What matters is whether the last one can be opened; why the first one is missing says more than that it is.
  int first_failure = 0;
  for (std::size_t at = path.find('/', 1); at != std::string::npos; at = path.find('/', at + 1)) {
    const std::string above = path.substr(0, at);
    const int failure = ::mkdir(above.c_str(), 0700) == 0 ? 0 : errno;
    if (first_failure == 0 && failure != 0 && ::access(above.c_str(), F_OK) != 0) first_failure = failure;
  }
  if (::mkdir(path.c_str(), mode) != 0 && errno != EEXIST) {
    return errno_error(first_failure != 0 ? first_failure : errno, cat("cannot create the directory '", path, "'"));
  }
  UniqueFd fd = AGENTCTL_TRY(open_at(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0) return errno_error(cat("cannot read the status of '", path, "'"));
  if (status.st_uid != ::geteuid()) {
    return make_error(ErrorKind::environment,
                      cat("cannot use the directory '", path, "': it belongs to uid ", status.st_uid, ", not to you"));
  }
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    return make_error(ErrorKind::environment, cat("cannot use the directory '", path, "': others may write it"),
                      cat("chmod 700 ", shell_quote(path)));
  }
  return fd;
}

Result<std::string> current_directory() {
  const char* logical = ::getenv("PWD");
  struct stat here {};
  struct stat there {};
  if (::stat(".", &here) != 0) return errno_error("cannot use the current directory");
  if (logical != nullptr && logical[0] == '/' && ::stat(logical, &there) == 0 && here.st_dev == there.st_dev &&
      here.st_ino == there.st_ino) {
    return std::string(logical);
  }
  char* physical = ::getcwd(nullptr, 0);
  if (physical == nullptr) return errno_error("cannot use the current directory");
  std::string path(physical);
  ::free(physical);
  return path;
}

Result<Pipe> make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return errno_error("cannot make a pipe");
  return Pipe{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

Result<UniqueFd> sealed_memory_file(const char* name, std::string_view data) {
  UniqueFd fd(::memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!fd.valid()) return errno_error("cannot make a memory file");
  AGENTCTL_TRY_VOID(write_all(fd.get(), data));
  if (::lseek(fd.get(), 0, SEEK_SET) != 0) return errno_error("cannot rewind a memory file");
  if (::fcntl(fd.get(), F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
    return errno_error("cannot seal a memory file");
  }
  return fd;
}

}  // namespace agentctl
