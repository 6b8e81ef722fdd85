// SPDX-License-Identifier: Apache-2.0
#include "policy/utf8.h"

namespace agentctl::policy {

std::size_t find_invalid_utf8(std::string_view text) {
  const auto byte = [&](std::size_t at) { return at < text.size() ? static_cast<unsigned char>(text[at]) : 0U; };
  for (std::size_t at = 0; at < text.size();) {
    const unsigned lead = byte(at);
    const std::size_t length = lead < 0x80   ? 1
                               : lead < 0xc2 ? 0
                               : lead < 0xe0 ? 2
                               : lead < 0xf0 ? 3
                               : lead < 0xf5 ? 4
                                             : 0;
    if (length == 0) return at;
    for (std::size_t next = 1; next < length; ++next) {
      if ((byte(at + next) & 0xc0) != 0x80) return at;
    }
    const unsigned second = byte(at + 1);
    const bool is_overlong = (lead == 0xe0 && second < 0xa0) || (lead == 0xf0 && second < 0x90);
    const bool is_beyond = (lead == 0xed && second > 0x9f) || (lead == 0xf4 && second > 0x8f);
    if (is_overlong || is_beyond) return at;
    at += length;
  }
  return std::string_view::npos;
}

}  // namespace agentctl::policy
