// SPDX-License-Identifier: Apache-2.0
// NameEvents: what the kernel tells of names in directories, by inotify, or where the user's instances of it are used
// up (128 as a rule) by fanotify, which has as many again and of which an ordinary user has the same since Linux 5.13.
// The second needs a file system that gives its directories handles; in others an Error. Sources: inotify(7),
// fanotify(7).
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"

namespace agentctl {

struct NameEvent {
  int watch = -1;
  bool overflow = false;   // events before this one were dropped
  bool removed = false;    // the watch is no more: its directory was removed
  bool directory = false;  // what has the name is one
  std::string name;
};

class NameEvents {
 public:
  enum class Source { inotify, fanotify };

  // inotify, else fanotify. An Error of kind environment, with a remedy, when both are used up.
  [[nodiscard]] static Result<NameEvents> open();
  [[nodiscard]] static Result<NameEvents> open(Source source);

  [[nodiscard]] int fd() const { return fd_.get(); }
  [[nodiscard]] UniqueFd release_fd() { return std::move(fd_); }
  // Names made, moved or linked in the directory `held`, which may be O_PATH. One directory has one number.
  [[nodiscard]] Result<int> add(const std::string& path, int held);
  void remove(int watch);
  // Bytes that wait to be read, or more.
  [[nodiscard]] std::ptrdiff_t waiting() const;
  // What read(2) on fd() gave.
  [[nodiscard]] std::vector<NameEvent> parse(std::string_view bytes);

 private:
  // A directory by its file system and handle (name_to_handle_at(2)), as events name it.
  using Handle = std::string;

  NameEvents(Source source, UniqueFd fd) : source_(source), fd_(std::move(fd)) {}
  [[nodiscard]] Result<int> add_mark(const std::string& path, int held);

  Source source_;
  UniqueFd fd_;
  // fanotify only.
  std::map<Handle, int> watches_;
  int next_watch_ = 1;
};

// Pure.
[[nodiscard]] std::vector<NameEvent> parse_inotify(std::string_view bytes);

struct HandleEvent {
  std::string handle;  // of the directory
  NameEvent event;     // its watch is not known
};
[[nodiscard]] std::vector<HandleEvent> parse_fanotify(std::string_view bytes);

}  // namespace agentctl
