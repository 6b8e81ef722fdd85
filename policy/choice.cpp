// SPDX-License-Identifier: Apache-2.0
#include "policy/choice.h"

#include "base/text.h"

namespace agentctl::policy {
namespace {

Error must_be(std::string_view words, std::string_view word) {
  return make_error(ErrorKind::policy, cat("must be ", words, "; got '", printable(word), "'"));
}

}  // namespace

Result<HomeMode> parse_home_mode(std::string_view word) {
  if (word == "private") return HomeMode::private_home;
  if (word == "persistent") return HomeMode::persistent;
  if (word == "read-only") return HomeMode::read_only;
  return must_be("\"private\", \"persistent\" or \"read-only\"", word);
}

Result<NetworkMode> parse_network_mode(std::string_view word) {
  if (word == "host") return NetworkMode::host;
  if (word == "nat") return NetworkMode::nat;
  if (word == "allowlist") return NetworkMode::allowlist;
  if (word == "none") return NetworkMode::none;
  return must_be("\"nat\", \"allowlist\", \"host\" or \"none\"", word);
}

std::string_view to_string(NetworkMode mode) {
  switch (mode) {
    case NetworkMode::none:
      return "none";
    case NetworkMode::allowlist:
      return "allowlist";
    case NetworkMode::nat:
      return "nat";
    case NetworkMode::host:
      return "host";
  }
  return "none";
}

}  // namespace agentctl::policy
