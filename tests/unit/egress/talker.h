// SPDX-License-Identifier: Apache-2.0
// Talker: for tests, one who speaks at the end of a connection: says so many bytes, each of which its position and its
// voice determine, and compares what it hears with what a voice says. Takes part in an event loop; never waits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/event_loop.h"
#include "base/unique_fd.h"

namespace agentctl::egress {

// What a voice says from a position on; at least one byte, at most 1 MB of it at once.
[[nodiscard]] std::string_view voice_bytes(unsigned voice, std::uint64_t position);
// The first `size` bytes of it.
[[nodiscard]] std::string said_by(unsigned voice, std::size_t size);

struct Speech {
  unsigned voice = 0;
  std::uint64_t size = 0;
  bool ends = true;  // says so once all is said (SHUT_WR)
};

class Talker {
 public:
  // `hears`: whose voice is expected.
  Talker(EventLoop& loop, UniqueFd socket, Speech speech, unsigned hears);
  Talker(const Talker&) = delete;
  Talker& operator=(const Talker&) = delete;
  ~Talker();

  void say(Speech speech);               // and go on with this one, from its begin
  void read_at_most(std::size_t bytes);  // each time; 0: does not read at all
  void expect(std::string words);        // before the voice
  void close();                          // altogether
  void reset();                          // with a reset (RST), where it is TCP

  [[nodiscard]] std::uint64_t said() const { return said_; }    // of the speech
  [[nodiscard]] std::uint64_t heard() const { return heard_; }  // of the expected words and voice
  [[nodiscard]] bool has_said_all() const { return said_ == speech_.size; }
  [[nodiscard]] bool heard_end() const { return heard_end_; }
  [[nodiscard]] bool heard_reset() const { return heard_reset_; }
  [[nodiscard]] bool heard_other() const { return heard_other_; }  // something that was not said
  [[nodiscard]] int fd() const { return socket_.get(); }

 private:
  void on_ready(short revents);
  void speak();
  void listen();
  [[nodiscard]] bool is_expected(std::string_view bytes);
  void update_interest();

  EventLoop& loop_;
  UniqueFd socket_;
  Speech speech_;
  unsigned hears_;
  std::string words_;
  std::size_t most_read_ = 65536;
  std::uint64_t said_ = 0;
  std::uint64_t heard_ = 0;
  bool has_ended_ = false;
  bool heard_end_ = false;
  bool heard_reset_ = false;
  bool heard_other_ = false;
};

}  // namespace agentctl::egress
