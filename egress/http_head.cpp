// SPDX-License-Identifier: Apache-2.0
#include "egress/http_head.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "egress/http_request_line.h"

namespace agentctl::egress {
namespace {

constexpr std::uint16_t kHttpPort = 80;
constexpr std::size_t kMostDigits = 18;  // of a length: fits 63 bits

Denial malformed(std::string detail) { return refusal(Reason::malformed, std::move(detail)); }

std::string_view trim_blanks(std::string_view text) {
  const std::size_t first = std::min(text.find_first_not_of(" \t"), text.size());
  return text.substr(first, text.find_last_not_of(" \t") + 1 - first);
}

// Field values may hold blanks and what is beyond ASCII, but no controls (RFC 9110, 5.5).
bool is_value(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return c == '\t' || (byte >= 0x20 && byte != 0x7f);
  });
}

std::optional<Denial> read_field(std::string_view line, std::vector<HttpField>& fields) {
  if (line[0] == ' ' || line[0] == '\t') return malformed("a line is folded");
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return malformed("a line has no colon");
  if (!is_token(line.substr(0, colon))) return malformed("the name of a field is no token");
  const std::string_view value = trim_blanks(line.substr(colon + 1));
  if (!is_value(value)) return malformed("the value of a field holds a control");
  if (fields.size() == kMostFields) return refusal(Reason::too_large, "there are more than 100 fields");
  fields.push_back({std::string(line.substr(0, colon)), std::string(value)});
  return std::nullopt;
}

std::size_t count(const std::vector<HttpField>& fields, std::string_view name) {
  return static_cast<std::size_t>(std::count_if(
      fields.begin(), fields.end(), [&](const HttpField& field) { return equals_ignoring_case(field.name, name); }));
}

std::optional<Denial> check_host(HttpHead& head) {
  const std::size_t hosts = count(head.fields, "Host");
  if (hosts > 1) return malformed("there are two Hosts");
  if (hosts == 0) {
    const bool is_needed = !head.endpoint || !head.is_http_1_0;
    return is_needed ? std::optional(malformed("there is no Host")) : std::nullopt;
  }
  auto named = policy::parse_host_and_port(find_field(head.fields, "Host")->value);
  if (!named) return malformed(cat("Host ", named.error().message));
  if (!head.endpoint) {
    head.endpoint = policy::Endpoint{std::move(named->host), named->port.value_or(kHttpPort)};
    return std::nullopt;
  }
  // Some clients leave the port out of the Host of a CONNECT.
  const std::uint16_t port = named->port.value_or(head.is_connect ? head.endpoint->port : kHttpPort);
  if (policy::Endpoint{named->host, port} == *head.endpoint) return std::nullopt;
  return malformed(cat("Host is '", policy::to_string(named->host), "', but the target is '",
                       policy::to_string(*head.endpoint), "'"));
}

std::optional<Denial> read_framing(HttpHead& head) {
  const std::size_t lengths = count(head.fields, "Content-Length");
  const std::size_t codings = count(head.fields, "Transfer-Encoding");
  if (lengths > 1 || codings > 1) return malformed("the length of the body is said twice");
  if (lengths == 1 && codings == 1) return malformed("there are both Content-Length and Transfer-Encoding");
  if (codings == 1) {
    if (head.is_http_1_0) return malformed("HTTP/1.0 has no Transfer-Encoding");
    if (!equals_ignoring_case(find_field(head.fields, "Transfer-Encoding")->value, "chunked")) {
      return refusal(Reason::unsupported, "of transfer codings only 'chunked' is taken");
    }
    head.framing = {HttpFraming::Kind::chunked, 0};
  } else if (lengths == 1) {
    const std::string& digits = find_field(head.fields, "Content-Length")->value;
    const bool is_number = !digits.empty() && digits.size() <= kMostDigits &&
                           std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (!is_number) return malformed("Content-Length is no number");
    for (const char digit : digits)
      head.framing.length = head.framing.length * 10 + static_cast<std::uint64_t>(digit - '0');
    if (head.framing.length > 0) head.framing.kind = HttpFraming::Kind::length;
  }
  const bool has_body = head.framing.kind != HttpFraming::Kind::none;
  // An origin that expects none would read the body as the next request.
  if (has_body && (head.is_connect || head.method == "GET" || head.method == "HEAD")) {
    return malformed(cat(head.method, " has no body"));
  }
  return std::nullopt;
}

bool has_token(std::string_view list, std::string_view token) {
  bool found = false;
  for_each_part(list, ',',
                [&](std::string_view part) { found = found || equals_ignoring_case(trim_blanks(part), token); });
  return found;
}

bool asks_for_websocket(const HttpHead& head) {
  const HttpField* connection = find_field(head.fields, "Connection");
  const HttpField* upgrade = find_field(head.fields, "Upgrade");
  return head.method == "GET" && !head.is_http_1_0 && connection != nullptr && upgrade != nullptr &&
         has_token(connection->value, "upgrade") && equals_ignoring_case(upgrade->value, "websocket");
}

}  // namespace

bool equals_ignoring_case(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](char x, char y) { return lower(x) == lower(y); });
}

const HttpField* find_field(const std::vector<HttpField>& fields, std::string_view name) {
  const auto found = std::find_if(fields.begin(), fields.end(),
                                  [&](const HttpField& field) { return equals_ignoring_case(field.name, name); });
  return found == fields.end() ? nullptr : &*found;
}

void HttpHeadReader::refuse(Denial denial) {
  state_ = State::refused;
  denial_ = std::move(denial);
}

std::size_t HttpHeadReader::feed(std::string_view bytes) {
  std::size_t used = 0;
  while (state_ == State::more && used < bytes.size()) {
    const std::string_view rest = bytes.substr(used);
    // What is no HTTP at all is not waited for to end a line.
    if (taken_ == 0 && (rest[0] < 'A' || rest[0] > 'Z')) {
      refuse(malformed("the first line is no request of HTTP/1"));
      break;
    }
    const std::size_t end = rest.find('\n');
    const std::string_view piece = rest.substr(0, end == std::string_view::npos ? end : end + 1);
    if (piece.size() > kLargestHead - taken_) {
      refuse(refusal(Reason::too_large, "the head is larger than 64 KiB"));
      break;
    }
    line_ += piece;
    taken_ += piece.size();
    used += piece.size();
    if (end == std::string_view::npos) continue;
    if (!line_.ends_with("\r\n")) {
      refuse(malformed("a line ends with a bare LF"));
      break;
    }
    take_line(std::string_view(line_).substr(0, line_.size() - 2));
    line_.clear();
  }
  return used;
}

void HttpHeadReader::take_line(std::string_view line) {
  std::optional<Denial> fault;
  if (line.find_first_of(std::string_view("\r\0", 2)) != std::string_view::npos) {
    fault = malformed("a line holds a bare CR or a NUL");
  } else if (!has_request_line_) {
    fault = read_request_line(line, role_, head_);
    has_request_line_ = true;
  } else if (!line.empty()) {
    fault = read_field(line, head_.fields);
  } else {
    fault = check_host(head_);
    if (!fault) fault = read_framing(head_);
    head_.wants_websocket = asks_for_websocket(head_);
    if (!fault) state_ = State::done;
  }
  if (fault) refuse(std::move(*fault));
}

}  // namespace agentctl::egress
