// SPDX-License-Identifier: Apache-2.0
#include "manager/door_log_reader.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/file.h"
#include "base/text.h"

namespace agentctl::manager {
namespace {

constexpr std::size_t kBlock = 65536;
constexpr std::size_t kLongestLine = 16384;  // names, rules and details are all bounded

// Up to `most` bytes from there on.
Result<std::string> read_at(int file, std::uint64_t offset, std::size_t most) {
  std::string bytes(most, '\0');
  ssize_t count = 0;
  do {
    count = ::pread(file, bytes.data(), bytes.size(), static_cast<off_t>(offset));
  } while (count < 0 && errno == EINTR);
  if (count < 0) return errno_error("cannot read the log of the network");
  bytes.resize(static_cast<std::size_t>(count));
  return bytes;
}

}  // namespace

Result<DoorLogReader::Part> DoorLogReader::read() {
  if (!file_.valid()) {
    auto opened = open_at(AT_FDCWD, path_, O_RDONLY | O_NOFOLLOW);
    if (!opened && opened.error().sys_errno == ENOENT) return Part{};
    file_ = AGENTCTL_TRY(std::move(opened));
  }
  Part part;
  if (!AGENTCTL_TRY(is_where_it_was())) part.follows_a_gap = !AGENTCTL_TRY(find_place());
  const std::string bytes = AGENTCTL_TRY(read_at(file_.get(), offset_, kBlock));
  std::size_t end = bytes.rfind('\n');
  if (end == std::string::npos && bytes.size() > kLongestLine) {
    return make_error(ErrorKind::system, "the log of the network is damaged");
  }
  if (end == std::string::npos) return part;
  for_each_part(std::string_view(bytes).substr(0, end), '\n',
                [&](std::string_view line) { part.lines.emplace_back(line); });
  offset_ += end + 1;
  last_ = part.lines.back();
  return part;
}

// Whether the last line that was read still stands before the offset.
Result<bool> DoorLogReader::is_where_it_was() const {
  if (offset_ == 0) return true;
  const std::string wanted = last_ + "\n";
  if (offset_ < wanted.size()) return false;
  return AGENTCTL_TRY(read_at(file_.get(), offset_ - wanted.size(), wanted.size())) == wanted;
}

// Behind that line, wherever it has gone to; false: it is not there any more, and all that is there is new.
Result<bool> DoorLogReader::find_place() {
  const std::string wanted = last_ + "\n";
  std::string before;
  for (std::uint64_t at = 0;;) {
    const std::string bytes = before + AGENTCTL_TRY(read_at(file_.get(), at + before.size(), kBlock));
    const std::size_t found = bytes.find(wanted);
    if (found != std::string::npos) {
      offset_ = at + found + wanted.size();
      return true;
    }
    if (bytes.size() == before.size()) break;
    const std::size_t kept = std::min(bytes.size(), wanted.size());
    before = bytes.substr(bytes.size() - kept);
    at += bytes.size() - kept;
  }
  offset_ = 0;
  return false;
}

}  // namespace agentctl::manager
