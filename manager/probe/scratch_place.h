// SPDX-License-Identifier: Apache-2.0
// ScratchPlace: a directory of the probe's own below /var/tmp, 0700, named after this process and locked by it
// (dead_probe.h), gone with it. In it: `outside`, which no sandbox shows; `project`, for a sandbox that is made for the
// probe; `state`, in which agentctl keeps what it keeps of that one.
#pragma once

#include <string>
#include <utility>

#include "base/result.h"
#include "base/unique_fd.h"

namespace agentctl::probe {

class ScratchPlace {
 public:
  [[nodiscard]] static Result<ScratchPlace> make();
  ScratchPlace(ScratchPlace&& other) noexcept : path_(std::exchange(other.path_, {})), lock_(std::move(other.lock_)) {}
  ScratchPlace& operator=(ScratchPlace&&) = delete;
  ~ScratchPlace();

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string outside() const { return path_ + "/outside"; }
  [[nodiscard]] std::string project() const { return path_ + "/project"; }
  [[nodiscard]] std::string state() const { return path_ + "/state"; }

 private:
  explicit ScratchPlace(std::string path) : path_(std::move(path)) {}
  std::string path_;
  UniqueFd lock_;
};

}  // namespace agentctl::probe
