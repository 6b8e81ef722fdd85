// SPDX-License-Identifier: Apache-2.0
#include "egress/upstream.h"

#include <algorithm>

#include "base/base64.h"
#include "base/text.h"
#include "policy/host_rule.h"

namespace agentctl::egress {
namespace {

Error refuse(std::string message) { return make_error(ErrorKind::environment, std::move(message)); }

std::optional<unsigned> hex_digit(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a') + 10;
  if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A') + 10;
  return std::nullopt;
}

// RFC 3986, 2.1; nothing where a "%" is not followed by two digits.
std::optional<std::string> percent_decoded(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '%') {
      out += text[at];
      continue;
    }
    if (at + 2 >= text.size()) return std::nullopt;
    const auto high = hex_digit(text[at + 1]);
    const auto low = hex_digit(text[at + 2]);
    if (!high || !low) return std::nullopt;
    out += static_cast<char>(*high * 16 + *low);
    at += 2;
  }
  return out;
}

Result<UpstreamLogin> parse_login(std::string_view text) {
  const std::size_t colon = text.find(':');
  const auto user = percent_decoded(text.substr(0, colon));
  const auto password = percent_decoded(colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1));
  if (!user || !password) return refuse("its login must have each '%' followed by two hexadecimal digits");
  return UpstreamLogin{cat("Basic ", base64(cat(*user, ":", *password)))};
}

}  // namespace

Result<Upstream> parse_upstream(std::string_view url) {
  std::string_view rest = url;
  if (const std::size_t end = rest.find("://"); end != std::string_view::npos) {
    const std::string scheme = ascii_lower(rest.substr(0, end));
    if (scheme != "http")
      return refuse(cat("it must be a proxy that is spoken to in HTTP ('http://…'); got '", printable(scheme), "'"));
    rest.remove_prefix(end + 3);
  }
  rest = rest.substr(0, rest.find_first_of("/?#"));
  std::string_view login;
  if (const std::size_t at = rest.rfind('@'); at != std::string_view::npos) {
    login = rest.substr(0, at);
    rest.remove_prefix(at + 1);
  }
  auto parsed = policy::parse_host_and_port(rest);
  if (!parsed) return refuse(cat("its host ", parsed.error().message));
  constexpr std::uint16_t kPort = 80;
  Upstream upstream{{std::move(parsed->host), parsed->port.value_or(kPort)}, {}};
  if (!login.empty()) upstream.login = AGENTCTL_TRY(parse_login(login));
  return upstream;
}

DirectHosts::DirectHosts(std::string_view list) {
  for_each_part(list, ',', [&](std::string_view part) {
    std::string_view text = trim(part);
    has_all_ = has_all_ || text == "*";
    if (text.starts_with("*.")) text.remove_prefix(1);
    if (text.starts_with('.')) text.remove_prefix(1);
    // "::1" and "fd00::/8" stand here without brackets.
    const bool is_bare_v6 = std::count(text.begin(), text.end(), ':') > 1 && !text.starts_with('[');
    const auto rule = policy::parse_deny_rule(is_bare_v6 ? cat("[", text, "]") : std::string(text));
    if (!rule) return;
    if (const auto* pattern = std::get_if<policy::NamePattern>(&rule->hosts)) {
      items_.push_back({pattern->name, rule->port});
    } else {
      items_.push_back({std::get<policy::IpPrefix>(rule->hosts), rule->port});
    }
  });
}

bool DirectHosts::contain(const policy::Endpoint& endpoint) const {
  return has_all_ || std::any_of(items_.begin(), items_.end(), [&](const Item& item) {
           if (item.port.value_or(endpoint.port) != endpoint.port) return false;
           if (const auto* name = std::get_if<policy::HostName>(&endpoint.host)) {
             const auto* known = std::get_if<policy::HostName>(&item.hosts);
             return known != nullptr && (*name == *known || name->is_below(*known));
           }
           const auto* prefix = std::get_if<policy::IpPrefix>(&item.hosts);
           return prefix != nullptr && prefix->contains(std::get<policy::IpAddress>(endpoint.host));
         });
}

}  // namespace agentctl::egress
