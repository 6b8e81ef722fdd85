// SPDX-License-Identifier: Apache-2.0
// SessionDir: the directory of one running session, owned by its supervisor; removed with everything in it at
// destruction. It appears under its id only once it holds a record.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "manager/record.h"
#include "manager/state_dirs.h"

namespace agentctl::manager {

// Beside the record: the variables that the agent was started with, NUL-terminated, for `exec`.
inline constexpr const char* kEnvironmentFile = "environment";

class SessionDir {
 public:
  [[nodiscard]] static Result<SessionDir> create(const RuntimeDir& runtime, const Record& record);
  SessionDir(SessionDir&&) noexcept = default;
  SessionDir& operator=(SessionDir&&) = delete;
  ~SessionDir();

  [[nodiscard]] Result<void> write(const Record& record) const;
  [[nodiscard]] Result<void> write_environment(const std::vector<std::string>& variables) const;
  [[nodiscard]] int fd() const { return fd_.get(); }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  SessionDir(UniqueFd parent, UniqueFd fd, std::string name, std::string path)
      : parent_(std::move(parent)), fd_(std::move(fd)), name_(std::move(name)), path_(std::move(path)) {}

  UniqueFd parent_;
  UniqueFd fd_;
  std::string name_;
  std::string path_;
};

// Held while a name is chosen and recorded, so that no two sessions get the same one. Given up at destruction of the
// descriptor, and by the kernel if its holder dies (flock(2)). An Error after two seconds.
[[nodiscard]] Result<UniqueFd> lock_names(const RuntimeDir& runtime);

// Held while the limits of the session in `directory` are changed, so that they are by one at a time. The same way.
[[nodiscard]] Result<UniqueFd> lock_limits(const std::string& directory);

// Removes the directory `name` in `parent` with the files that sessions keep there; never follows a link.
void remove_session_dir(int parent, const std::string& name);

}  // namespace agentctl::manager
