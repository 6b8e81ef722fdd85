// SPDX-License-Identifier: Apache-2.0
// ByteCursor: reads numbers in network byte order and pieces off the front of foreign bytes. Reading past the end gives
// nothing and leaves the cursor failed for good, so that a reader may check once at its end. Pure; does not own the
// bytes.
#pragma once

#include <cstdint>
#include <string_view>

namespace agentctl::egress {

class ByteCursor {
 public:
  explicit ByteCursor(std::string_view bytes) : rest_(bytes) {}

  [[nodiscard]] bool has_failed() const { return has_failed_; }
  [[nodiscard]] bool at_end() const { return rest_.empty(); }
  [[nodiscard]] std::size_t left() const { return rest_.size(); }

  [[nodiscard]] std::string_view take(std::size_t size) {
    if (has_failed_ || size > rest_.size()) {
      has_failed_ = true;
      rest_ = {};
      return {};
    }
    const std::string_view piece = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return piece;
  }
  [[nodiscard]] std::uint32_t number(std::size_t size) {  // of 1 to 4 bytes
    std::uint32_t value = 0;
    for (const char byte : take(size)) value = (value << 8) | static_cast<unsigned char>(byte);
    return value;
  }
  [[nodiscard]] std::uint8_t u8() { return static_cast<std::uint8_t>(number(1)); }
  [[nodiscard]] std::uint16_t u16() { return static_cast<std::uint16_t>(number(2)); }
  [[nodiscard]] std::uint32_t u24() { return number(3); }
  [[nodiscard]] std::uint32_t u32() { return number(4); }
  // A piece whose length stands before it, in so many bytes.
  [[nodiscard]] std::string_view vector(std::size_t size_of_length) { return take(number(size_of_length)); }

 private:
  std::string_view rest_;
  bool has_failed_ = false;
};

// The other way: a number at the end of `out`, in network byte order.
template <typename Out>
void append_number(Out& out, std::uint32_t value, std::size_t size) {
  for (std::size_t shift = size; shift > 0; --shift)
    out.push_back(static_cast<char>((value >> (8 * (shift - 1))) & 0xff));
}

}  // namespace agentctl::egress
