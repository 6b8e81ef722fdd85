// SPDX-License-Identifier: Apache-2.0
// What the two ends of a session's control socket say to each other.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "manager/control_answer.h"
#include "manager/control_request.h"
#include "tests/fuzz/require.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace agentctl;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto request = manager::parse_request(text)) {
    const auto again = manager::parse_request(manager::to_text(*request));
    fuzz::require(again.has_value() && *again == *request);
  }
  if (const auto answer = manager::parse_answer(text); !answer) {
    fuzz::require_printable(answer.error().message);
    fuzz::require_printable(answer.error().hint);
    const auto again = manager::parse_answer(manager::to_answer(answer.error()));
    fuzz::require(!again.has_value());
  }
  return 0;
}
