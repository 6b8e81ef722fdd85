// SPDX-License-Identifier: Apache-2.0
// The first byte says how the rest, what a client of the door sends from its first byte on, is cut. Whatever the
// pieces: the same host is asked for, and the same bytes go on.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "egress/inner_look.h"
#include "egress/proxy_front.h"
#include "egress/request_gate.h"
#include "tests/fuzz/require.h"

namespace {

using namespace agentctl;

struct Outcome {
  std::string asked;
  std::string answer;
  std::string passed_on;  // the hello, and what the gate lets through
};

template <typename Reader, typename... More>
std::string_view feed_all(Reader& reader, std::string_view bytes, std::size_t piece, More&... more) {
  while (!bytes.empty() && reader.state() == Reader::State::more) {
    const std::size_t taken = reader.feed(bytes.substr(0, piece), more...);
    fuzz::require(taken <= piece && (taken > 0 || reader.state() != Reader::State::more));
    bytes.remove_prefix(taken);
  }
  return bytes;
}

void pass_all(egress::RelayGate& gate, std::string_view bytes, std::size_t piece, Outcome& outcome) {
  const std::size_t before = outcome.passed_on.size();
  for (std::string_view rest = bytes; !rest.empty(); rest.remove_prefix(std::min(piece, rest.size()))) {
    if (gate.state() == egress::RelayGate::State::refused) return;
    gate.pass(rest.substr(0, piece), outcome.passed_on);
  }
  fuzz::require(outcome.passed_on.size() - before <= bytes.size());
}

Outcome run(std::string_view bytes, std::size_t piece) {
  Outcome outcome;
  egress::ProxyFront front;
  std::string_view rest = feed_all(front, bytes, piece, outcome.answer);
  if (front.state() == egress::ProxyFront::State::refused) {
    fuzz::require_printable(front.denial().detail);
    (void)front.rejection(front.denial(), "s");
  }
  if (front.state() != egress::ProxyFront::State::asked) return outcome;
  outcome.asked = policy::to_string(front.endpoint());
  if (!front.wants_tunnel()) {
    egress::RequestGate gate(front.head());
    pass_all(gate, rest, piece, outcome);
    return outcome;
  }
  egress::InnerLook inner(egress::carried_on(front.endpoint().port));
  rest = feed_all(inner, rest, piece);
  if (inner.state() != egress::InnerLook::State::done) return outcome;
  outcome.passed_on = inner.hello_bytes();
  const auto gate = inner.make_gate();
  if (gate) pass_all(*gate, rest, piece, outcome);
  return outcome;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const Outcome whole = run(bytes, std::max<std::size_t>(bytes.size(), 1));
  const Outcome cut = run(bytes, 1 + data[0] % 16);
  fuzz::require(whole.asked == cut.asked && whole.answer == cut.answer);
  // One that is refused midway may have let some of a large piece through, or none.
  fuzz::require(whole.passed_on.starts_with(cut.passed_on) || cut.passed_on.starts_with(whole.passed_on));
  return 0;
}
