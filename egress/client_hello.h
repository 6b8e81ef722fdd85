// SPDX-License-Identifier: Apache-2.0
// ClientHelloReader: reads the first message of a TLS client as far as the name of the server that it asks for (RFC
// 8446, 4.1.2 and 5.1; RFC 6066, 3), without terminating TLS. The message may be spread over records, and records over
// pieces. All bytes are kept, since they go on to the server as they came. What it does not protect against: what is
// asked for inside the encryption, also by an encrypted hello (ECH), whose outer name is what is seen and checked here.
// Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "egress/denial.h"
#include "policy/host_name.h"

namespace agentctl::egress {

inline constexpr std::size_t kLargestHello = std::size_t{16} * 1024;  // bytes, with the headers of the records

struct ClientHello {
  std::optional<policy::HostName> server_name;
  bool has_encrypted_hello = false;  // or something random in its place (GREASE), which looks the same
};

class ClientHelloReader {
 public:
  // Takes all bytes while the state is `more`, none after it.
  std::size_t feed(std::string_view bytes);

  enum class State { more, done, refused };
  [[nodiscard]] State state() const { return state_; }
  [[nodiscard]] const ClientHello& hello() const { return hello_; }  // when done
  [[nodiscard]] const Denial& denial() const { return denial_; }     // when refused
  [[nodiscard]] const std::string& bytes() const { return bytes_; }  // all that was taken

 private:
  [[nodiscard]] bool take_record();  // whether there was a whole one
  void take_fragment(std::string_view fragment);
  void refuse(Denial denial) {
    state_ = State::refused;
    denial_ = std::move(denial);
  }

  State state_ = State::more;
  std::string bytes_;
  std::size_t read_ = 0;  // of bytes_
  std::string message_;   // of the handshake, put together from the records
  ClientHello hello_;
  Denial denial_;
};

// A record that says why the connection ends: access_denied (RFC 8446, 6.2), fatal.
[[nodiscard]] std::string_view access_denied_alert();
[[nodiscard]] std::string_view internal_error_alert();  // not for a rule's sake
// Whether a connection that begins with this byte can be TLS.
[[nodiscard]] inline bool begins_tls(char first) { return first == 0x16; }

}  // namespace agentctl::egress
