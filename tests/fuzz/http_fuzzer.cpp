// SPDX-License-Identifier: Apache-2.0
// The first byte says how the rest is cut; the rest is a request (head and body) to a proxy, to an origin, and a
// response.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/text.h"
#include "egress/http_answer.h"
#include "egress/http_body.h"
#include "egress/http_forward.h"
#include "egress/http_status.h"
#include "tests/fuzz/require.h"

namespace {

using namespace agentctl;
using namespace agentctl::egress;

template <typename Reader>
std::size_t feed(Reader& reader, std::string_view bytes, std::size_t piece) {
  std::size_t used = 0;
  while (used < bytes.size() && reader.state() == Reader::State::more) {
    const std::size_t taken = reader.feed(bytes.substr(used, piece));
    fuzz::require(taken <= piece && (taken > 0 || reader.state() != Reader::State::more));
    used += taken;
  }
  return used;
}

// What was built is one head that says what the first one said.
void require_same(const HttpHead& head, const std::string& built, HttpRole role) {
  HttpHeadReader reader(role);
  fuzz::require(reader.feed(built) == built.size() && reader.state() == HttpHeadReader::State::done);
  const HttpHead& again = reader.head();
  fuzz::require(again.endpoint == head.endpoint && again.path == head.path && again.method == head.method);
  fuzz::require(again.framing.kind == head.framing.kind && again.framing.length == head.framing.length);
  fuzz::require(again.wants_websocket == head.wants_websocket && again.is_http_1_0 == head.is_http_1_0);
  fuzz::require(find_field(again.fields, "Proxy-Authorization") == nullptr || role == HttpRole::proxy);
}

void try_request(std::string_view bytes, std::size_t piece, HttpRole role) {
  HttpHeadReader whole(role);
  HttpHeadReader cut(role);
  const std::size_t used = feed(whole, bytes, bytes.size());
  fuzz::require(feed(cut, bytes, piece) == used || whole.state() == HttpHeadReader::State::refused);
  fuzz::require(whole.state() == cut.state());
  if (whole.state() == HttpHeadReader::State::refused) {
    fuzz::require_printable(whole.denial().detail);
    fuzz::require(whole.denial().detail == cut.denial().detail);
    fuzz::require(denial_answer(whole.denial(), "name").starts_with("HTTP/1.1 "));
  }
  if (whole.state() != HttpHeadReader::State::done) return;
  const HttpHead& head = whole.head();
  fuzz::require(head.endpoint && head.endpoint->port != 0);
  constexpr std::size_t kRoom = 3;  // for what the door puts in
  if (!head.is_connect && head.fields.size() + kRoom <= kMostFields) {
    require_same(head, origin_head(head), HttpRole::origin);
    require_same(head, proxied_head(head, {"Basic x"}), HttpRole::proxy);
  }
  HttpBody body(head.framing);
  HttpBody body_cut(head.framing);
  const std::string_view rest = bytes.substr(used);
  fuzz::require(feed(body, rest, rest.size()) == feed(body_cut, rest, piece) && body.state() == body_cut.state());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::size_t piece = 1 + data[0] % 64;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  try_request(bytes, piece, HttpRole::proxy);
  try_request(bytes, piece, HttpRole::origin);
  HttpStatusReader response;
  HttpStatusReader response_cut;
  (void)feed(response, bytes, bytes.size());
  (void)feed(response_cut, bytes, piece);
  fuzz::require(response.state() == response_cut.state() && response.head() == response_cut.head());
  if (response.state() == HttpStatusReader::State::done)
    fuzz::require(response.status() >= 100 && response.status() < 600);
  return 0;
}
