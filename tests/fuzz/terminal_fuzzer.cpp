// SPDX-License-Identifier: Apache-2.0
// What an agent prints, on its way to terminals that are not its own, and what attached clients and keyboards send.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "manager/attach_protocol.h"
#include "manager/detach_keys.h"
#include "manager/plain_output.h"
#include "manager/session_screen.h"
#include "tests/fuzz/require.h"

namespace {

using namespace agentctl;  // a fuzzer belongs to no room

std::string filtered(std::string_view output, std::size_t piece) {
  manager::SequenceWriter writer;
  manager::OutputFilter filter(writer);
  manager::EscapeParser parser(filter);
  for (std::size_t at = 0; at < output.size(); at += piece) parser.parse(output.substr(at, piece));
  return writer.take();
}

void check_screen(std::string_view output, std::uint8_t shape) {
  const winsize size{static_cast<unsigned short>(1 + shape % 16), static_cast<unsigned short>(1 + shape / 16 * 5), 0,
                     0};
  manager::SessionScreen screen(size);
  std::string answers;
  if (shape % 2 == 0) screen.model().answer_with([&](std::string_view answer) { answers += answer; });
  const std::string_view half = output.substr(0, output.size() / 2);
  (void)screen.pass(half);
  screen.model().resize({size.ws_col, size.ws_row, 0, 0});
  (void)screen.pass(output.substr(half.size()));
  const std::string painted = screen.model().repaint();
  fuzz::require(filtered(painted, painted.size() + 1) == painted);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data + 1), size - 1);
  const std::string passed = filtered(bytes, bytes.size());
  fuzz::require(filtered(bytes, 1 + data[0] % 7U) == passed);
  const std::string ended = passed + "\n";  // after which no byte waits for more of its character
  fuzz::require(filtered(ended, ended.size()) == ended);
  fuzz::require(passed.find('\x05') == std::string::npos);
  fuzz::require(passed.find("\x1bP") == std::string::npos && passed.find("\x1b_") == std::string::npos);
  check_screen(bytes, data[0]);

  manager::PlainOutput plain;
  fuzz::require_printable(plain.pass(bytes) + plain.rest());

  manager::DetachKeys keys;
  (void)keys.pass(bytes);
  (void)manager::parse_message(bytes);
  if (const auto request = manager::parse_attach_request(bytes)) {
    fuzz::require(manager::parse_attach_request(manager::format_attach_request(*request)).has_value());
  }
  return 0;
}
