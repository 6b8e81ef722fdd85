// SPDX-License-Identifier: Apache-2.0
#include "manager/probe/progress_line.h"

#include <unistd.h>

#include <utility>

#include "base/file.h"
#include "base/text.h"
#include "manager/notice.h"

namespace agentctl::probe {
namespace {

constexpr std::uint64_t kSlowUsec = 1'000'000;
constexpr std::uint64_t kBetweenUsec = 250'000;
constexpr const char* kWipe = "\r\033[K";

}  // namespace

ProgressLine::ProgressLine(EventLoop& loop, std::string sentence, std::function<std::size_t()> tried, std::size_t all)
    : loop_(loop),
      sentence_(std::move(sentence)),
      tried_(std::move(tried)),
      all_(all),
      timer_(loop.after(kSlowUsec, [this] { show(); })),
      is_terminal_(::isatty(2) != 0) {}

ProgressLine::~ProgressLine() {
  loop_.cancel(timer_);
  if (is_terminal_ && is_shown_) (void)write_all(2, kWipe);
}

void ProgressLine::show() {
  if (is_terminal_)
    (void)write_all(2, cat(kWipe, "agentctl: ", sentence_, ": ", tried_(), " of ", all_));
  else if (!is_shown_)
    manager::notice(sentence_);
  is_shown_ = true;
  if (is_terminal_) timer_ = loop_.after(kBetweenUsec, [this] { show(); });
}

}  // namespace agentctl::probe
