// SPDX-License-Identifier: Apache-2.0
// Small files and directories by descriptor. Every descriptor is O_CLOEXEC; every failure names the path.
// Not meant for files that an agent may write: for those see bwrap/safe_path.h, which never follows a link.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/unique_fd.h"

namespace agentctl {

// AT_FDCWD as `dir` takes `path` as it stands.
[[nodiscard]] Result<UniqueFd> open_at(int dir, const std::string& path, int flags, mode_t mode = 0);
[[nodiscard]] Result<std::string> read_file(const std::string& path, std::size_t limit = 1U << 20);
[[nodiscard]] Result<std::string> read_file_at(int dir, const std::string& path, std::size_t limit = 1U << 20);
[[nodiscard]] Result<void> write_all(int fd, std::string_view data);

// Writes an existing control file (cgroup, proc) in one write(2).
[[nodiscard]] Result<void> write_control_file_at(int dir, const std::string& path, std::string_view data);

// Replaces `name` in `dir` atomically: a reader sees the old content or the new, never a part.
[[nodiscard]] Result<void> replace_file_at(int dir, const std::string& name, std::string_view data, mode_t mode);

// Where replace_file_at of process `pid` writes first; it stays behind should the process be killed meanwhile.
[[nodiscard]] std::string unfinished_name(const std::string& name, pid_t pid);

// A directory of ours at `path`: made with `mode` if absent (parents too, 0700), refused if it is a link, belongs to
// somebody else or others may write it.
[[nodiscard]] Result<UniqueFd> own_directory(const std::string& path, mode_t mode = 0700);

// The current directory as the user sees it: $PWD where that is the same directory, else getcwd(3).
[[nodiscard]] Result<std::string> current_directory();

struct Pipe {
  UniqueFd read_end;
  UniqueFd write_end;
};
[[nodiscard]] Result<Pipe> make_pipe();

// An anonymous file holding `data`, read position at the start, no more writes or resizes possible
// (memfd_create(2), F_ADD_SEALS).
[[nodiscard]] Result<UniqueFd> sealed_memory_file(const char* name, std::string_view data);

}  // namespace agentctl
