// SPDX-License-Identifier: Apache-2.0
#include "egress/splice_pipes.h"

#include <fcntl.h>
#include <unistd.h>

#include <utility>

namespace agentctl::egress {
namespace {

constexpr int kSize = 1 << 20;
constexpr int kLeastSize = 1 << 16;
constexpr std::size_t kMostSpare = 4;
constexpr std::size_t kMostTaken = 64;

std::optional<SplicePipe> make_one() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return std::nullopt;
  SplicePipe made{UniqueFd(ends[0]), UniqueFd(ends[1])};
  int size = ::fcntl(made.write_end.get(), F_SETPIPE_SZ, kSize);
  if (size < 0) size = ::fcntl(made.write_end.get(), F_GETPIPE_SZ);
  if (size < kLeastSize) return std::nullopt;
  made.size = static_cast<std::size_t>(size);
  return made;
}

}  // namespace

std::optional<SplicePipe> SplicePipes::take() {
  std::optional<SplicePipe> pipe;
  if (!spare_.empty()) {
    pipe = std::move(spare_.back());
    spare_.pop_back();
  } else if (taken_ < kMostTaken) {
    pipe = make_one();
  }
  if (pipe) ++taken_;
  return pipe;
}

void SplicePipes::give_back(SplicePipe pipe) {
  --taken_;
  if (pipe.filled == 0 && spare_.size() < kMostSpare) spare_.push_back(std::move(pipe));
}

}  // namespace agentctl::egress
