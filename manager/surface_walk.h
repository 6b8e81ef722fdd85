// SPDX-License-Identifier: Apache-2.0
// SurfaceWalk: looks through directories that an agent has written, from the host, by openat2(2) and statx(2) only:
// beneath their roots, breadth first, dependencies last, so that what the bounds cut off matters least.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/unique_fd.h"
#include "manager/exec_surface.h"
#include "manager/surface_rules.h"

namespace agentctl::manager {

class SurfaceWalk {
 public:
  SurfaceWalk(std::int64_t since_nsec, const SurfaceBounds& bounds);

  void look_at(const std::string& root);  // a directory or a file, by its canonical name
  [[nodiscard]] SurfaceReport finish();

 private:
  struct Root {
    std::string path;
    UniqueFd fd;
  };
  struct Directory {
    const Root* root = nullptr;
    std::string relative;               // to the root: "." or "a/b"
    std::string name;                   // what rules are matched against; a git directory's begins with ".git"
    const SurfaceRule* rule = nullptr;  // of a directory above, which holds here too
    std::string whole;                  // the directory that is reported instead of what is below
    bool follows_link = false;
    bool in_git_modules = false;  // submodules' names are the project's to choose
    int depth = 0;
  };
  struct OutsideNames {
    std::string path;
    std::uint32_t names = 0;  // in all
    std::uint32_t seen = 0;
  };

  void drain();
  void read(const Directory& directory);
  void read_entries(const Directory& directory, int fd, const std::vector<std::string>& names);
  void look_at_directory(const Directory& above, const std::string& name, const struct statx& status);
  void look_at_file(const Directory& above, const std::string& name, const struct statx& status);
  void look_at_link(const Directory& above, const std::string& name, int fd, const struct statx& status);
  void look_at_git_config(const Directory& directory, int fd, const std::string& name, const struct statx& status);
  [[nodiscard]] bool is_recent(const struct statx& status) const;
  [[nodiscard]] bool is_born(const struct statx& status) const;  // made since
  [[nodiscard]] bool out_of_bounds();
  void find(const std::string& path, const SurfaceRule& rule, const struct statx& status);
  void find(const std::string& path, std::string_view kind, std::string_view run_by, const struct statx& status,
            std::string detail = {});
  void gap(std::string text);

  std::int64_t since_;
  SurfaceBounds bounds_;
  std::uint64_t started_usec_;
  std::size_t entries_ = 0;
  bool cut_ = false;
  std::vector<std::unique_ptr<Root>> roots_;
  std::deque<Directory> first_;
  std::deque<Directory> later_;
  std::map<std::string, SurfaceFinding> found_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, OutsideNames> names_;
  std::vector<std::string> gaps_;
  std::vector<std::string> executables_;
  std::size_t executable_count_ = 0;
};

}  // namespace agentctl::manager
