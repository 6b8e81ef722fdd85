// SPDX-License-Identifier: Apache-2.0
#include "manager/attach_protocol.h"

#include <charconv>
#include <vector>

#include "base/text.h"

namespace agentctl::manager {
namespace {

constexpr unsigned kMostCells = 9999;

std::optional<unsigned short> parse_cells(const std::string& text) {
  unsigned number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || rest != end || number == 0 || number > kMostCells) return std::nullopt;
  return static_cast<unsigned short>(number);
}

std::optional<winsize> parse_size(const std::string& rows, const std::string& columns) {
  const auto row_count = parse_cells(rows);
  const auto column_count = parse_cells(columns);
  if (!row_count || !column_count) return std::nullopt;
  return winsize{*row_count, *column_count, 0, 0};
}

}  // namespace

std::string format_attach_request(const AttachRequest& request) {
  return cat("attach ", format_window(request.size), request.read_only ? " read-only" : "",
             request.take_over ? " take-over" : "");
}

std::optional<AttachRequest> parse_attach_request(std::string_view text) {
  const std::vector<std::string> words = split(text, ' ');
  if (words.size() < 3 || words[0] != "attach") return std::nullopt;
  const auto size = parse_size(words[1], words[2]);
  if (!size) return std::nullopt;
  AttachRequest request;
  request.size = *size;
  for (std::size_t at = 3; at < words.size(); ++at) {
    if (words[at] == "read-only")
      request.read_only = true;
    else if (words[at] == "take-over")
      request.take_over = true;
    else
      return std::nullopt;
  }
  return request;
}

std::string format_message(MessageKind kind, std::string_view body) {
  std::string bytes(1, static_cast<char>(kind));
  return bytes.append(body);
}

std::optional<Message> parse_message(std::string_view bytes) {
  if (bytes.empty() || std::string_view("iwrpoxe").find(bytes[0]) == std::string_view::npos) return std::nullopt;
  return Message{static_cast<MessageKind>(bytes[0]), bytes.substr(1)};
}

std::string format_window(const winsize& size) { return cat(size.ws_row, " ", size.ws_col); }

std::optional<winsize> parse_window(std::string_view text) {
  const std::vector<std::string> words = split(text, ' ');
  return words.size() == 2 ? parse_size(words[0], words[1]) : std::nullopt;
}

}  // namespace agentctl::manager
