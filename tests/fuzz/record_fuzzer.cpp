// SPDX-License-Identifier: Apache-2.0
// Records and receipts, read back from directories of the user's, and the texts that are put into them.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/text.h"
#include "manager/json_value.h"
#include "manager/record.h"
#include "tests/fuzz/require.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace agentctl;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  fuzz::require_printable(printable(text));
  const auto quoted = manager::parse_json(json_quote(text));
  fuzz::require(quoted.has_value() && quoted->kind == manager::JsonValue::Kind::text);
  (void)manager::parse_json(text);
  if (const auto record = manager::parse_record(text)) {
    const std::string written = manager::serialize(*record);
    const auto again = manager::parse_record(written);
    fuzz::require(again.has_value() && manager::serialize(*again) == written);
  }
  return 0;
}
