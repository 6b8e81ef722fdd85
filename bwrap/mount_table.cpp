// SPDX-License-Identifier: Apache-2.0
#include "bwrap/mount_table.h"

namespace agentctl::bwrap {
namespace {

// The text before the separator; `text` goes on after it.
std::string_view take_until(std::string_view& text, char separator) {
  const std::size_t at = text.find(separator);
  const std::string_view taken = text.substr(0, at);
  text.remove_prefix(at == std::string_view::npos ? text.size() : at + 1);
  return taken;
}

std::string unescape_octal(std::string_view text) {
  if (text.find('\\') == std::string_view::npos) return std::string(text);
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\\' && at + 3 < text.size()) {
      const int value = (text[at + 1] - '0') * 64 + (text[at + 2] - '0') * 8 + (text[at + 3] - '0');
      out += static_cast<char>(value);
      at += 3;
    } else {
      out += text[at];
    }
  }
  return out;
}

}  // namespace

std::vector<MountEntry> parse_mountinfo(std::string_view text) {
  std::vector<MountEntry> mounts;
  while (!text.empty()) {
    // 36 35 98:0 /root /mount/point rw,noatime shared:1 - ext3 /dev/root rw,errors=continue
    std::string_view line = take_until(text, '\n');
    for (int skipped = 0; skipped < 2; ++skipped) take_until(line, ' ');
    MountEntry mount;
    mount.device = take_until(line, ' ');
    mount.root = unescape_octal(take_until(line, ' '));
    mount.mount_point = unescape_octal(take_until(line, ' '));
    const std::string_view own_options = take_until(line, ' ');
    for (std::string_view field; !line.empty() && (field = take_until(line, ' ')) != "-";) {
      mount.receives = mount.receives || field.starts_with("master:") || field.starts_with("shared:");
    }
    mount.type = take_until(line, ' ');
    take_until(line, ' ');
    const auto is_read_only = [](std::string_view options) { return options == "ro" || options.starts_with("ro,"); };
    mount.read_only = is_read_only(own_options) || is_read_only(line);
    if (!mount.type.empty()) mounts.push_back(std::move(mount));
  }
  return mounts;
}

}  // namespace agentctl::bwrap
