// SPDX-License-Identifier: Apache-2.0
#include "bwrap/git_index.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/text.h"

namespace agentctl::bwrap {
namespace {

constexpr std::size_t kStatBytes = 40;  // times, device, inode, mode, ids, size: ten numbers
constexpr std::size_t kModeAt = 24;
constexpr std::uint16_t kExtended = 0x4000;
constexpr std::uint16_t kLengthMask = 0x0fff;
constexpr std::uint32_t kTypeMask = 0170000;
constexpr std::uint32_t kSparseDirectory = 0040000;
constexpr std::uint32_t kTypes[] = {0100000, 0120000, 0160000};  // a file, a link, a submodule
constexpr std::size_t kPadding = 8;

Error fault(std::string message, std::string hint = {}) {
  return make_error(ErrorKind::policy, cat("the git index ", message), std::move(hint));
}

Error split() { return fault("is split into two files", "'git update-index --no-split-index' makes it one"); }

class Reader {
 public:
  Reader(std::string_view bytes, GitHash hash, const SeeGitIndexEntry& see)
      : bytes_(bytes), id_bytes_(hash == GitHash::sha1 ? 20 : 32), see_(see) {}

  Result<void> read() {
    if (AGENTCTL_TRY(take(4)) != "DIRC") return fault("does not begin as one");
    version_ = AGENTCTL_TRY(take_number());
    if (version_ < 2 || version_ > 4) return fault(cat("is of version ", version_, ", not 2 to 4"));
    const std::uint32_t count = AGENTCTL_TRY(take_number());
    for (std::uint32_t number = 0; number < count; ++number) AGENTCTL_TRY_VOID(read_entry());
    while (left() > id_bytes_) AGENTCTL_TRY_VOID(read_extension());
    if (left() < id_bytes_) return fault("is cut off");
    return {};
  }

 private:
  [[nodiscard]] std::size_t left() const { return bytes_.size() - at_; }

  Result<std::string_view> take(std::size_t count) {
    if (left() < count) return fault("is cut off");
    at_ += count;
    return bytes_.substr(at_ - count, count);
  }

  static std::uint32_t number_at(std::string_view bytes, std::size_t at, std::size_t size) {
    std::uint32_t number = 0;
    for (const char byte : bytes.substr(at, size)) number = (number << 8U) | static_cast<unsigned char>(byte);
    return number;
  }

  Result<std::uint32_t> take_number() { return number_at(AGENTCTL_TRY(take(4)), 0, 4); }

  Result<void> read_entry() {
    const std::size_t start = at_;
    GitIndexEntry entry;
    entry.mode = number_at(AGENTCTL_TRY(take(kStatBytes)), kModeAt, 4);
    entry.id = AGENTCTL_TRY(take(id_bytes_));
    const std::uint32_t flags = number_at(AGENTCTL_TRY(take(2)), 0, 2);
    if ((flags & kExtended) != 0) {
      if (version_ < 3) return fault("has an entry of a later version");
      (void)AGENTCTL_TRY(take(2));
    }
    std::string path = AGENTCTL_TRY(version_ == 4 ? take_suffix() : take_text());
    if (std::min<std::size_t>(path.size(), kLengthMask) != (flags & kLengthMask)) {
      return fault("gives a path and another length of it");
    }
    if (version_ != 4) AGENTCTL_TRY_VOID(take_padding(start));
    AGENTCTL_TRY_VOID(check(path, entry.mode));
    path_ = std::move(path);
    entry.path = path_;
    see_(entry);
    return {};
  }

  // A text and the NUL after it.
  Result<std::string> take_text() {
    const std::size_t end = bytes_.find('\0', at_);
    if (end == std::string_view::npos) return fault("is cut off");
    std::string text(bytes_.substr(at_, end - at_));
    at_ = end + 1;
    return text;
  }

  // How many bytes of the path before do not count, and what stands in their place.
  Result<std::string> take_suffix() {
    std::size_t dropped = 0;
    for (bool is_first = true;; is_first = false) {
      const auto byte = static_cast<unsigned char>(AGENTCTL_TRY(take(1))[0]);
      dropped = is_first ? byte & 0x7fU : ((dropped + 1) << 7U) | (byte & 0x7fU);
      if (dropped > path_.size()) return fault("shortens a path by more than it has");
      if ((byte & 0x80U) == 0) break;
    }
    return cat(path_.substr(0, path_.size() - dropped), AGENTCTL_TRY(take_text()));
  }

  // One NUL, taken already, to eight of them.
  Result<void> take_padding(std::size_t start) {
    const std::size_t over = (at_ - start) % kPadding;
    const std::string_view rest = AGENTCTL_TRY(take(over == 0 ? 0 : kPadding - over));
    if (rest.find_first_not_of('\0') == std::string_view::npos) return {};
    return fault("has something between its entries");
  }

  Result<void> check(const std::string& path, std::uint32_t mode) const {
    if ((mode & kTypeMask) == kSparseDirectory) {
      return fault("lists whole directories instead of files", "'git sparse-checkout reapply --no-sparse-index'");
    }
    const auto* const type = std::find(std::begin(kTypes), std::end(kTypes), mode & kTypeMask);
    if (type == std::end(kTypes)) return fault("has an entry that is neither a file, a link nor a submodule");
    if (path.empty()) return split();  // its path is in the other file
    if (path.starts_with('/') || path.ends_with('/')) return fault("has a path that git does not write");
    if (path < path_) return fault("is not sorted");
    return {};
  }

  Result<void> read_extension() {
    const std::string name(AGENTCTL_TRY(take(4)));
    const std::uint32_t size = AGENTCTL_TRY(take_number());
    (void)AGENTCTL_TRY(take(size));
    if (left() < id_bytes_) return fault("is cut off");
    const bool may_be_ignored = name[0] >= 'A' && name[0] <= 'Z';
    if (may_be_ignored || name == "sdir") return {};  // "sdir" only says that there may be directories
    if (name == "link") return split();
    return fault(cat("has the extension '", printable(name), "', which is not known here"));
  }

  std::string_view bytes_;
  std::size_t id_bytes_;
  const SeeGitIndexEntry& see_;
  std::size_t at_ = 0;
  std::uint32_t version_ = 0;
  std::string path_;  // of the entry before
};

}  // namespace

Result<void> read_git_index(std::string_view bytes, GitHash hash, const SeeGitIndexEntry& see) {
  return Reader(bytes, hash, see).read();
}

}  // namespace agentctl::bwrap
