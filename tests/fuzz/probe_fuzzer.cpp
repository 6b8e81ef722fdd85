// SPDX-License-Identifier: Apache-2.0
// What comes out of the terminal in which a probe's inside half runs, and command lines given to it.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "manager/probe/report_reader.h"
#include "manager/probe/word_split.h"
#include "tests/fuzz/require.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace agentctl;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  probe::Evidence whole;
  probe::ReportReader("TAG", whole, [](std::string_view what) { fuzz::require_printable(what); }).pass(text);
  for (const auto& [name, line] : whole.lines) {
    fuzz::require_printable(name);
    fuzz::require_printable(line.detail);
  }
  // However it is cut, it is the same report.
  probe::Evidence parts;
  probe::ReportReader reader("TAG", parts, [](std::string_view) {});
  reader.pass(text.substr(0, size / 3));
  reader.pass(text.substr(size / 3));
  fuzz::require(parts.lines.size() == whole.lines.size() && parts.ended == whole.ended);

  const auto words = probe::split_words(text, [](const std::string&) { return std::string("a b"); });
  if (!words) fuzz::require_printable(words.error().message);
  return 0;
}
