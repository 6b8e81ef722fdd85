// SPDX-License-Identifier: Apache-2.0
// HttpBody: follows the body of an HTTP/1 request, so that the door knows where the request ends: what comes after it
// is another request, which may be for another host and never goes on. The bytes themselves go on as they came, for
// their framing was read by one strict grammar: chunk sizes without extensions, no trailers (RFC 9112, 7.1). Pure.
#pragma once

#include <cstdint>
#include <string_view>

#include "egress/http_head.h"

namespace agentctl::egress {

class HttpBody {
 public:
  explicit HttpBody(const HttpFraming& framing);

  // Gives how many of the bytes belong to the body; takes no more once the state is not `more`.
  std::size_t feed(std::string_view bytes);

  // Bytes that may go on without a look: what is left of the length, or of the chunk. skip() says that they did.
  [[nodiscard]] std::uint64_t opaque() const { return step_ == Step::data ? left_ : 0; }
  void skip(std::uint64_t bytes);

  enum class State { more, done, refused };
  [[nodiscard]] State state() const;

 private:
  enum class Step { data, size, size_end, data_cr, data_lf, last_cr, last_lf, done, refused };
  [[nodiscard]] Step after(char byte);  // of what frames a chunk

  bool is_chunked_;
  Step step_;
  std::uint64_t left_ = 0;  // of the length or chunk; while its size is read, the size so far
  unsigned digits_ = 0;
};

}  // namespace agentctl::egress
