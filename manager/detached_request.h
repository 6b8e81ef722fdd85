// SPDX-License-Identifier: Apache-2.0
// DetachedRequest: what the supervisor of a detached session is told by the `start` that asked for it, so that both
// mean the same by the same words. Pure. The text is the starter's own, but it comes through the service manager:
// whatever is not exactly as written here is refused.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace agentctl::manager {

// More than execve(2) takes on any system, arguments and environment together.
inline constexpr std::size_t kMaxRequestBytes = 8U << 20;

struct WindowSize {  // 0: the starter has none
  unsigned short rows = 0;
  unsigned short columns = 0;
  friend bool operator==(const WindowSize&, const WindowSize&) = default;
};

struct DetachedRequest {
  std::string session_id;
  std::vector<std::string> words;         // of the command line, after the program's name
  std::vector<std::string> environment;   // "NAME=value"
  std::vector<std::string> surroundings;  // of the starter, and its groups (surroundings.h)
  std::vector<std::string> groups;
  mode_t file_mask = 077;
  WindowSize window;
  friend bool operator==(const DetachedRequest&, const DetachedRequest&) = default;
};

// What execve(2) could not pass on either is left out: entries without a name.
[[nodiscard]] std::string serialize(const DetachedRequest& request);
[[nodiscard]] Result<DetachedRequest> parse_detached_request(std::string_view text);

}  // namespace agentctl::manager
