// SPDX-License-Identifier: Apache-2.0
// HttpHead: the head of an HTTP/1 request as the door understood it, and HttpHeadReader, which reads one from bytes
// that come in pieces. Strict on purpose (RFC 9112): what two implementations could frame or address differently is
// refused and never repaired, since somebody behind the door may read it the other way: both Content-Length and
// Transfer-Encoding, either twice, folded lines, a blank before the colon, a bare CR or LF, NUL, a second Host, a Host
// that is not the target's. What goes on to the origin is built anew from the parts (http_forward.h). Pure. What is
// refused is a Denial without `asked`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "egress/denial.h"
#include "policy/host.h"

namespace agentctl::egress {

inline constexpr std::size_t kLargestHead = std::size_t{64} * 1024;  // bytes, with all line ends
inline constexpr std::size_t kMostFields = 100;

struct HttpField {
  std::string name;  // a token, in the case in which it came
  std::string value;
};
// Case counts for nothing; the first of that name.
[[nodiscard]] const HttpField* find_field(const std::vector<HttpField>& fields, std::string_view name);
[[nodiscard]] bool equals_ignoring_case(std::string_view a, std::string_view b);  // ASCII

struct HttpFraming {
  enum class Kind { none, length, chunked };
  Kind kind = Kind::none;
  std::uint64_t length = 0;  // bytes, for Kind::length
};

struct HttpHead {
  std::string method;
  std::optional<policy::Endpoint> endpoint;  // of the target, else of Host; always there once it was read
  std::string path;                          // "/x?y"; empty for CONNECT
  bool is_connect = false;
  bool is_http_1_0 = false;
  bool wants_websocket = false;  // Upgrade: websocket, as RFC 6455 asks for it
  std::vector<HttpField> fields;
  HttpFraming framing;
};

// Who is spoken to: a proxy (CONNECT, and targets with scheme and host), or the origin itself (paths, with Host).
enum class HttpRole { proxy, origin };

class HttpHeadReader {
 public:
  explicit HttpHeadReader(HttpRole role) : role_(role) {}

  // Takes what belongs to the head and gives how much that was; takes no more once the state is not `more`.
  std::size_t feed(std::string_view bytes);

  enum class State { more, done, refused };
  [[nodiscard]] State state() const { return state_; }
  [[nodiscard]] const HttpHead& head() const { return head_; }    // when done
  [[nodiscard]] const Denial& denial() const { return denial_; }  // when refused

 private:
  void take_line(std::string_view line);
  void refuse(Denial denial);

  HttpRole role_;
  State state_ = State::more;
  std::size_t taken_ = 0;
  bool has_request_line_ = false;
  std::string line_;
  HttpHead head_;
  Denial denial_;
};

}  // namespace agentctl::egress
