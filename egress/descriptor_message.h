// SPDX-License-Identifier: Apache-2.0
// A short text and descriptors that go with it over a socket that keeps bounds (unix(7), SCM_RIGHTS). What arrives is
// close-on-exec.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"

namespace agentctl::egress {

inline constexpr std::size_t kMostDescriptors = 64;
inline constexpr std::size_t kMostText = 2048;

struct DescriptorMessage {
  std::string text;
  std::vector<UniqueFd> descriptors;
};

// `text` is not empty: an empty message is the end of a connection.
[[nodiscard]] Result<void> send_descriptors(int socket, std::string_view text,
                                            const std::vector<UniqueFd>& descriptors);
// Waits for one. ECONNRESET: the other side is gone.
[[nodiscard]] Result<DescriptorMessage> receive_descriptors(int socket);

}  // namespace agentctl::egress
