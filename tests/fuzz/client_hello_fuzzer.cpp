// SPDX-License-Identifier: Apache-2.0
// What a client of TLS sends first, whole, in pieces, and with its first record cut into more of them; then as what
// comes after a hello of its.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "egress/byte_cursor.h"
#include "egress/client_hello.h"
#include "egress/second_hello.h"
#include "tests/fuzz/require.h"

namespace {

using namespace agentctl;
using egress::ClientHelloReader;
using State = ClientHelloReader::State;

ClientHelloReader fed(std::string_view bytes, std::size_t piece) {
  ClientHelloReader reader;
  std::size_t used = 0;
  while (used < bytes.size() && reader.state() == State::more) {
    const std::size_t taken = reader.feed(bytes.substr(used, piece));
    fuzz::require(taken > 0 || reader.state() != State::more);
    used += taken;
  }
  fuzz::require(reader.bytes() == bytes.substr(0, used) && reader.bytes().size() <= egress::kLargestHello);
  return reader;
}

void require_same(const ClientHelloReader& a, const ClientHelloReader& b) {
  fuzz::require(a.state() == b.state());
  if (a.state() == State::refused) fuzz::require_printable(a.denial().detail);
  if (a.state() == State::done) fuzz::require(a.hello().server_name == b.hello().server_name);
}

// What goes on is what came, in its order, and the same however it is cut.
void try_second(std::string_view bytes, std::size_t piece) {
  const auto name = policy::parse_host_name("a.example");
  egress::SecondHello whole(*name);
  egress::SecondHello cut(*name);
  std::string passed;
  std::string passed_cut;
  whole.pass(bytes, passed);
  for (std::size_t at = 0; at < bytes.size(); at += piece) cut.pass(bytes.substr(at, piece), passed_cut);
  fuzz::require(passed == passed_cut && whole.state() == cut.state() && bytes.starts_with(passed));
  if (whole.state() == egress::SecondHello::State::over) fuzz::require(passed == bytes);
  whole.look_at_answer(bytes);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const ClientHelloReader whole = fed(bytes, std::max<std::size_t>(size, 1));
  require_same(whole, fed(bytes, 1));
  require_same(whole, fed(bytes, 7));
  if (whole.state() == State::done && whole.hello().server_name) {
    fuzz::require(*policy::parse_host_name(whole.hello().server_name->text()) == *whole.hello().server_name);
  }
  try_second(bytes, 1);
  try_second(bytes, 9);
  // A hello in one record says the same in many.
  constexpr std::size_t kHeader = 5;
  constexpr std::size_t kSmall = 1000;
  if (whole.state() != State::done || size > kSmall) return 0;
  egress::ByteCursor cursor(bytes.substr(3));
  std::string_view fragment = cursor.vector(2);
  if (kHeader + fragment.size() != size) return 0;
  std::string records;
  for (; !fragment.empty(); fragment.remove_prefix(std::min<std::size_t>(fragment.size(), 3))) {
    const std::string_view piece = fragment.substr(0, 3);
    records += bytes.substr(0, 3);
    egress::append_number(records, static_cast<std::uint32_t>(piece.size()), 2);
    records += piece;
  }
  require_same(whole, fed(records, 11));
  return 0;
}
