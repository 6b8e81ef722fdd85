// SPDX-License-Identifier: Apache-2.0
// RelayWay: one of the two directions of a relay: what comes from one socket goes to another, in order and no faster
// than that one takes it. What goes on without a look goes by splice(2) once there is much of it, and is not copied by
// this process then. Memory is held only for what was read and could not be written yet: what one read gives (64 KiB),
// or a pipe's content. The sockets are the relay's, and non-blocking. SIGPIPE must be ignored: splice(2) has no flag
// for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "egress/splice_pipes.h"

namespace agentctl::egress {

class RelayWay {
 public:
  // Takes what was read and gives what may go on now, at the end of `out`.
  using Look = std::function<void(std::string_view bytes, std::string& out)>;

  // `first_words` go to `to` before anything that comes from `from`. Without `pipes`, which outlive this, all is
  // copied.
  RelayWay(int from, int to, std::string first_words, SplicePipes* pipes)
      : from_(from), to_(to), waiting_(std::move(first_words)), pipes_(pipes) {}
  RelayWay(const RelayWay&) = delete;
  RelayWay& operator=(const RelayWay&) = delete;
  ~RelayWay();

  void look_with(Look look) { look_ = std::move(look); }  // empty: no more
  [[nodiscard]] std::string& waiting() { return waiting_; }

  // Reads and writes once what can be without waiting, or all there is once `from` is gone. False: the connection is
  // broken.
  [[nodiscard]] bool pass_on();
  // `from` takes nothing any more, and what it has sent before can still be read, without waiting.
  void note_gone() { from_is_gone_ = true; }

  [[nodiscard]] short wanted_from() const;  // events of poll(2), of `from`
  [[nodiscard]] short wanted_to() const;

  [[nodiscard]] int from() const { return from_; }
  [[nodiscard]] int to() const { return to_; }
  [[nodiscard]] bool has_ended() const { return has_ended_; }  // nothing more comes
  [[nodiscard]] bool is_over() const { return is_over_; }      // and the other side knows
  [[nodiscard]] bool is_through() const { return has_ended_ && !is_waiting(); }
  [[nodiscard]] bool is_waiting() const { return !waiting_.empty() || pipe_.has_value(); }  // something was not written
  [[nodiscard]] bool from_is_gone() const { return from_is_gone_; }
  [[nodiscard]] std::uint64_t passed() const { return passed_; }  // bytes written, the first words included

 private:
  [[nodiscard]] bool read_some();
  [[nodiscard]] bool copy_some();
  [[nodiscard]] bool splice_some();
  [[nodiscard]] bool note_nothing_read(int error);
  [[nodiscard]] bool write_some();
  [[nodiscard]] bool write_waiting();
  [[nodiscard]] bool write_pipe();

  int from_, to_;
  std::string waiting_;  // read, and not written yet
  std::size_t written_ = 0;
  SplicePipes* pipes_;
  std::optional<SplicePipe> pipe_;  // while there is something in it
  Look look_;
  std::uint64_t copied_ = 0;  // bytes that went on without a look
  std::uint64_t passed_ = 0;
  bool from_is_gone_ = false;
  bool has_ended_ = false;
  bool is_over_ = false;
};

}  // namespace agentctl::egress
