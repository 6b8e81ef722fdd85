// SPDX-License-Identifier: Apache-2.0
// The first byte says how the rest, what a client of SOCKS sends, is cut.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "egress/socks_handshake.h"
#include "tests/fuzz/require.h"

namespace {

using namespace agentctl;
using egress::SocksHandshake;

std::size_t feed(SocksHandshake& handshake, std::string_view bytes, std::size_t piece, std::string& answer) {
  std::size_t used = 0;
  while (used < bytes.size() && handshake.state() == SocksHandshake::State::more) {
    const std::size_t taken = handshake.feed(bytes.substr(used, piece), answer);
    fuzz::require(taken > 0 && taken <= piece);
    used += taken;
  }
  return used;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  SocksHandshake whole;
  SocksHandshake cut;
  std::string answer;
  std::string answer_cut;
  fuzz::require(feed(whole, bytes, bytes.size(), answer) == feed(cut, bytes, 1 + data[0] % 16, answer_cut));
  fuzz::require(whole.state() == cut.state() && answer == answer_cut && answer.size() <= 12);
  if (whole.state() == SocksHandshake::State::asked) {
    fuzz::require(whole.endpoint() == cut.endpoint() && whole.endpoint().port != 0);
    fuzz::require(policy::parse_host(policy::to_string(whole.endpoint().host)).has_value());
  }
  if (whole.state() == SocksHandshake::State::refused) fuzz::require_printable(whole.denial().detail);
  return 0;
}
