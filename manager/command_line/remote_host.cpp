// SPDX-License-Identifier: Apache-2.0
#include "manager/command_line/remote_host.h"

#include <cstddef>

#include "base/text.h"
#include "manager/remote/remote_command.h"

namespace agentctl::manager::command_line {
namespace {

constexpr std::string_view kLong = "--host=";

}  // namespace

bool is_host_option(const std::string& word) {
  return word == "--host" || word.starts_with(kLong) || word.starts_with("-H");
}

Result<std::optional<std::string>> take_host(std::vector<std::string>& words) {
  if (words.empty() || !is_host_option(words[0])) return std::optional<std::string>();
  const bool has_value = words[0].starts_with(kLong) || (words[0][1] != '-' && words[0].size() > 2);
  if (!has_value && words.size() < 2)
    return make_error(ErrorKind::usage, cat(words[0], " must be followed by a host"),
                      "as in 'agentctl -H host status'");
  std::string host = !has_value                    ? words[1]
                     : words[0].starts_with(kLong) ? words[0].substr(kLong.size())
                                                   : words[0].substr(2);
  AGENTCTL_TRY_VOID(check_remote_host(host));
  words.erase(words.begin(), words.begin() + (has_value ? 1 : 2));
  if (!words.empty() && is_host_option(words[0])) return make_error(ErrorKind::usage, "--host is given twice");
  if (words.empty() || (words[0].starts_with('-') && words[0] != "--help" && words[0] != "-h"))
    return make_error(ErrorKind::usage, "--host must be followed by a command", "see 'agentctl --help'");
  return std::optional(std::move(host));
}

}  // namespace agentctl::manager::command_line
