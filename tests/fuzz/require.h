// SPDX-License-Identifier: Apache-2.0
// What a fuzzer holds against the result of a run: a crash is what libFuzzer reports.
#pragma once

#include <cstdlib>
#include <string_view>

namespace agentctl::fuzz {

inline void require(bool holds) {
  if (!holds) std::abort();
}

// Fit for a terminal: lines of text without control bytes.
inline void require_printable(std::string_view text) {
  for (const char byte : text) require(byte == '\n' || (static_cast<unsigned char>(byte) >= 0x20 && byte != 0x7f));
}

}  // namespace agentctl::fuzz
