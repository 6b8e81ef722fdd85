// SPDX-License-Identifier: Apache-2.0
#include "egress/publication.h"

#include "base/text.h"
#include "policy/host.h"

namespace agentctl::egress {

namespace {

constexpr std::string_view kAutomatic = "auto";

}  // namespace

Result<Publication> parse_publication(std::string_view text) {
  if (text == kAutomatic) return Publication{};
  const std::size_t colon = text.find(':');
  const auto host = policy::parse_port(text.substr(0, colon));
  const auto inner = colon == std::string_view::npos ? host : policy::parse_port(text.substr(colon + 1));
  if (host && inner) return Publication{*host, *inner};
  return make_error(ErrorKind::usage, cat("'", printable(text), "' is no port to publish"),
                    "3000; 8080:3000 for another port of this machine; or auto");
}

std::string to_string(const Publication& publication) {
  if (publication.is_automatic()) return std::string(kAutomatic);
  if (publication.host_port == publication.port) return cat(publication.port);
  return cat(publication.host_port, ":", publication.port);
}

}  // namespace agentctl::egress
