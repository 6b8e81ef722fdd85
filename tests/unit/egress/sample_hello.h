// SPDX-License-Identifier: Apache-2.0
// First messages of TLS clients, built part by part (RFC 8446, 4.1.2).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/text.h"
#include "egress/byte_cursor.h"

namespace agentctl::egress {

using namespace std::string_literals;

inline std::string sized(std::string_view bytes, std::size_t size_of_length) {
  std::string out;
  append_number(out, static_cast<std::uint32_t>(bytes.size()), size_of_length);
  return out += bytes;
}

inline std::string extension(std::uint16_t type, std::string_view bytes) {
  std::string out;
  append_number(out, type, 2);
  return out += sized(bytes, 2);
}

inline std::string server_name(std::string_view name) { return extension(0, sized("\0"s + sized(name, 2), 2)); }

inline std::string message(std::string_view extensions) {
  const std::string body = cat("\x03\x03", std::string(32, 'r'), sized(std::string(32, 's'), 1),
                               sized("\x13\x01\xc0\x2f", 2), sized("\0"s, 1), sized(extensions, 2));
  return "\x01" + sized(body, 3);
}

inline std::string record(std::string_view fragment) { return "\x16\x03\x01" + sized(fragment, 2); }
inline std::string hello(std::string_view extensions) { return record(message(extensions)); }

}  // namespace agentctl::egress
