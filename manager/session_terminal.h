// SPDX-License-Identifier: Apache-2.0
// SessionTerminal: a terminal of the session's own, seen from the supervisor. It owns the pty's master, hands on what
// the agent prints and takes what is typed. The agent has the slave, and never a descriptor of anybody's terminal.
#pragma once

#include <sys/ioctl.h>
#include <termios.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/event_loop.h"
#include "base/result.h"
#include "base/unique_fd.h"
#include "manager/sink.h"

namespace agentctl::manager {

class SessionTerminal {
 public:
  // Attributes of a terminal that is there already; none: those that the kernel gives a new one, with IUTF8.
  [[nodiscard]] static Result<std::unique_ptr<SessionTerminal>> open(const std::optional<termios>& attributes,
                                                                     const winsize& size);
  SessionTerminal(const SessionTerminal&) = delete;
  SessionTerminal& operator=(const SessionTerminal&) = delete;
  ~SessionTerminal();

  [[nodiscard]] const std::string& name() const { return name_; }  // "/dev/pts/7"
  // For the child, which duplicates it; closed by close_slave() after the fork.
  [[nodiscard]] int slave() const { return slave_.get(); }
  void close_slave() { slave_.reset(); }
  // Another descriptor of the master, for who writes to it by himself.
  [[nodiscard]] Result<UniqueFd> duplicate_master() const;
  // What has been printed so far, at most so much, taken away. Before connect().
  [[nodiscard]] std::string take_early_output(std::size_t most);

  // From here on output is read and given to `reader` in the order in which it comes.
  void connect(EventLoop& loop, std::function<void(std::string_view)> reader);
  // Nothing is read meanwhile; the agent waits once the pty is full.
  void hold(bool held);
  // What is typed waits until the agent reads it. Who types should stop while there is no room (64 KiB), and is called
  // back when there is; far beyond that it is dropped.
  void type(std::string_view bytes);
  [[nodiscard]] bool has_input_room() const;
  void on_input_room(std::function<void()> callback) { input_room_ = std::move(callback); }
  // The kernel sends SIGWINCH to the foreground process group when the size is another.
  void set_size(const winsize& size);
  [[nodiscard]] winsize size() const;
  // The agent is gone: reads what it has printed last.
  void read_rest();

 private:
  explicit SessionTerminal(UniqueFd master, UniqueFd slave, std::string name)
      : master_(std::move(master)), slave_(std::move(slave)), name_(std::move(name)) {}
  bool read_some();  // false: nothing there, or the end
  void close_master();

  EventLoop* loop_ = nullptr;
  UniqueFd master_;
  UniqueFd slave_;
  std::string name_;
  std::function<void(std::string_view)> reader_;
  std::function<void()> input_room_;
  std::optional<Sink> input_;  // made for the first that types
};

}  // namespace agentctl::manager
