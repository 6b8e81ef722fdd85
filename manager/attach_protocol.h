// SPDX-License-Identifier: Apache-2.0
// What `attach` and a session's supervisor say to each other over the control socket, whose messages keep their bounds:
// the request as text, then messages of one letter and its bytes. Each side drops what it does not know. Pure.
#pragma once

#include <sys/ioctl.h>

#include <optional>
#include <string>
#include <string_view>

namespace agentctl::manager {

inline constexpr std::size_t kMostMessageBytes = 16384;  // with the letter

struct AttachRequest {
  winsize size{};
  bool read_only = false;
  bool take_over = false;
};
// "attach ROWS COLUMNS [read-only] [take-over]"; none: the text is no such request.
[[nodiscard]] std::string format_attach_request(const AttachRequest& request);
[[nodiscard]] std::optional<AttachRequest> parse_attach_request(std::string_view text);

enum class MessageKind : char {
  // From the client.
  input = 'i',   // what was typed
  window = 'w',  // "ROWS COLUMNS"
  redraw = 'r',  // its screen was drawn over
  // From the supervisor.
  role = 'p',     // "writer" or "watcher"
  output = 'o',   // for the terminal
  refusal = 'x',  // a line of text; nothing follows
  end = 'e',      // the exit status, then a line of text each
};

struct Message {
  MessageKind kind;
  std::string_view body;
};
[[nodiscard]] std::string format_message(MessageKind kind, std::string_view body);
[[nodiscard]] std::optional<Message> parse_message(std::string_view bytes);

[[nodiscard]] std::string format_window(const winsize& size);
// None: not two numbers of 1 to 9999.
[[nodiscard]] std::optional<winsize> parse_window(std::string_view text);

}  // namespace agentctl::manager
