// SPDX-License-Identifier: Apache-2.0
// SessionLog: the bytes that a session's terminal has shown, kept in the state directory in a ring of two segments of
// 4 MiB: logs/ID/0, 1, 2, …, of which the two newest are there. Files are 0600, directories 0700. Written by the
// supervisor as the bytes come. A disk that takes nothing more never ends or holds a session up: what is lost meanwhile
// is counted, and marked in the log once it can be written again.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/unique_fd.h"

namespace agentctl::manager {

struct LogBounds {
  std::uint64_t segment_bytes = 4U << 20;
  std::uint64_t retry_usec = 1'000'000;  // after a failure
};

class SessionLog {
 public:
  // `state_dir`: of state_dir_path(). Nothing is made before there is something to write. `on_trouble` gets a sentence,
  // once.
  SessionLog(std::string state_dir, std::string session_id, std::function<void(const std::string&)> on_trouble,
             LogBounds bounds = {});

  void write(std::string_view bytes);

 private:
  Result<void> write_some(std::string_view& bytes);
  Result<void> open_segment();
  void note_loss(std::size_t bytes, const Error& error);

  std::string state_dir_;
  std::string id_;
  std::function<void(const std::string&)> on_trouble_;
  LogBounds bounds_;
  UniqueFd directory_;
  UniqueFd segment_;
  unsigned number_ = 0;
  std::uint64_t size_ = 0;
  std::uint64_t lost_ = 0;
  std::string cause_;
  std::uint64_t next_try_usec_ = 0;
};

[[nodiscard]] std::string log_directory(const std::string& state_dir, const std::string& session_id);
// With the receipt of a session its log goes. No error where there is none.
void remove_session_log(const std::string& state_dir, const std::string& session_id);

}  // namespace agentctl::manager
