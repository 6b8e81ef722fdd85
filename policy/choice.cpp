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
  if (word == "none") return NetworkMode::none;
  if (word == "nat" || word == "allowlist") {
    return make_error(
        ErrorKind::policy,
        cat("must not be \"", word, "\", which is not supported by this version: it has \"host\" and \"none\""));
  }
  return must_be("\"host\" or \"none\"", word);
}

}  // namespace agentctl::policy
