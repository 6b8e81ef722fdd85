// SPDX-License-Identifier: Apache-2.0
// A question to the stub, as a datagram and as a stream.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "egress/byte_cursor.h"
#include "egress/dns_answer.h"
#include "egress/dns_stream.h"
#include "tests/fuzz/require.h"

namespace {

using namespace agentctl;
using namespace agentctl::egress;

void try_query(const AccessList& list, FakeAddresses& fakes, std::string_view message) {
  const auto query = read_dns_query(message);
  if (!query) return;
  const DnsAnswer answer = answer_dns(list, fakes, *query);
  fuzz::require(answer.message.size() >= 12 && answer.message.size() < 512);
  fuzz::require(answer.message.substr(0, 2) == message.substr(0, 2));
  fuzz::require(!read_dns_query(answer.message));  // an answer is no question: two stubs do not talk for ever
  ByteCursor cursor(std::string_view(answer.message).substr(4));
  const std::uint16_t questions = cursor.u16();
  const std::uint16_t answers = cursor.u16();
  fuzz::require(questions <= 1 && answers <= 1 &&
                (questions == 0 || answer.message.substr(12, query->question.size()) == query->question));
  if (answers == 1)
    fuzz::require(query->name && (policy::is_localhost(*query->name) || list.may_resolve(*query->name)));
  if (answer.denial) fuzz::require_printable(explain(*answer.denial));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  AccessList list;
  list.allow(*policy::parse_allow_rule("**.example.com"));
  list.deny(*policy::parse_deny_rule("deny.example.com"));
  FakeAddresses fakes(policy::prefix_of(*policy::parse_ipv4("127.1.0.0"), 16), 3);
  try_query(list, fakes, bytes);
  fuzz::require(fakes.size() <= 1);

  DnsStream stream;
  for (std::size_t at = 0; at < size; at += 5) {
    stream.feed(bytes.substr(at, 5));
    while (const auto message = stream.next()) {
      fuzz::require(!message->empty() && message->size() <= kLargestDnsQuery);
      try_query(list, fakes, *message);
    }
  }
  return 0;
}
