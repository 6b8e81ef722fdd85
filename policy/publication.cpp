// SPDX-License-Identifier: Apache-2.0
#include "policy/publication.h"

#include "base/text.h"
#include "policy/entry.h"
#include "policy/host.h"

namespace agentctl::policy {

namespace {

constexpr std::string_view kAutomatic = "auto";

}  // namespace

Result<Publication> parse_publication(std::string_view text) {
  if (text == kAutomatic) return Publication{};
  const std::size_t colon = text.find(':');
  const auto host = parse_port(text.substr(0, colon));
  const auto inner = colon == std::string_view::npos ? host : parse_port(text.substr(colon + 1));
  if (host && inner) return Publication{*host, *inner};
  return make_error(ErrorKind::usage, cat("'", printable(text), "' is no port to publish"),
                    "3000; 8080:3000 for another port of this machine; or auto");
}

std::string to_string(const Publication& publication) {
  if (publication.is_automatic()) return std::string(kAutomatic);
  if (publication.host_port == publication.port) return cat(publication.port);
  return cat(publication.host_port, ":", publication.port);
}

Result<void> check_publish_entry(std::string_view entry) {
  if (parse_publication(without_mark(entry))) return {};
  return make_error(ErrorKind::policy, "must be a port: 3000, \"8080:3000\" or \"auto\"");
}

Result<void> check_port_entry(std::string_view entry) {
  if (parse_port(without_mark(entry))) return {};
  return make_error(ErrorKind::policy, "must be a port between 1 and 65535");
}

}  // namespace agentctl::policy
