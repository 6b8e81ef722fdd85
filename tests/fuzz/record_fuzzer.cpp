// SPDX-License-Identifier: Apache-2.0
// Records and receipts, read back from directories of the user's, and the texts that are put into them; the request for
// a detached session; what the kernel tells of names in directories, which an agent chooses.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/name_events.h"
#include "base/text.h"
#include "manager/detached_request.h"
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
  if (const auto head = manager::parse_record_head(text)) fuzz::require(!head->id.empty() && head->supervisor > 0);
  if (const auto request = manager::parse_detached_request(text)) fuzz::require(manager::serialize(*request) == text);
  for (const NameEvent& event : parse_inotify(text)) fuzz::require(event.name.find('\0') == std::string::npos);
  for (const HandleEvent& found : parse_fanotify(text)) fuzz::require(found.event.name.size() <= size);
  return 0;
}
