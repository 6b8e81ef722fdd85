// SPDX-License-Identifier: Apache-2.0
#include "manager/log_reader.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <memory>
#include <string_view>

#include "base/file.h"
#include "base/text.h"

namespace agentctl::manager {
namespace {

constexpr std::size_t kBlock = 65536;

std::optional<unsigned> parse_number(std::string_view name) {
  unsigned number = 0;
  const auto [rest, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc{} || rest != name.data() + name.size() || name.empty()) return std::nullopt;
  return number;
}

}  // namespace

Result<LogReader::Part> LogReader::read() {
  bool is_complete = false;  // a further segment is there, so nothing is added to this one
  while (true) {
    if (!segment_.valid() && !AGENTCTL_TRY(open_next())) return Part{};
    std::string bytes(kBlock, '\0');
    const ssize_t count = ::read(segment_.get(), bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno_error("cannot read the log");
    if (count > 0) {
      bytes.resize(static_cast<std::size_t>(count));
      return Part{std::move(bytes), std::exchange(follows_a_gap_, false)};
    }
    if (is_complete) {
      segment_.reset();
      is_complete = false;
      continue;
    }
    UniqueFd current = std::move(segment_);
    const std::optional<unsigned> its_number = number_;
    const bool has_next = AGENTCTL_TRY(open_next());
    // Its last bytes may have come between the look at it and the look for the next.
    segment_ = std::move(current);
    number_ = its_number;
    follows_a_gap_ = false;
    if (!has_next) return Part{};
    is_complete = true;
  }
}

// The oldest segment after the one that was read.
Result<bool> LogReader::open_next() {
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(::opendir(directory_.c_str()),
                                                   [](DIR* open) { return open == nullptr ? 0 : ::closedir(open); });
  if (!stream && errno == ENOENT) return false;
  if (!stream) return errno_error(cat("cannot read the log in '", printable(directory_), "'"));
  std::optional<unsigned> next;
  while (const dirent* entry = ::readdir(stream.get())) {
    const auto number = parse_number(entry->d_name);
    if (!number || (number_ && *number <= *number_)) continue;
    if (!next || *number < *next) next = number;
  }
  if (!next) return false;
  auto segment = open_at(::dirfd(stream.get()), cat(*next), O_RDONLY | O_NOFOLLOW);
  if (!segment && segment.error().sys_errno == ENOENT) return open_next();  // it was dropped meanwhile
  if (!segment) return std::move(segment).error();
  segment_ = std::move(*segment);
  follows_a_gap_ = *next != (number_ ? *number_ + 1 : 0);
  number_ = next;
  return true;
}

}  // namespace agentctl::manager
