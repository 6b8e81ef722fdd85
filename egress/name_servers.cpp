// SPDX-License-Identifier: Apache-2.0
#include "egress/name_servers.h"

#include <sys/stat.h>

#include <optional>

#include "base/file.h"
#include "base/text.h"

namespace agentctl::egress {
namespace {

constexpr std::size_t kMostServers = 3;  // MAXNS of resolv.h
constexpr std::size_t kMostBytes = 65536;

std::optional<policy::IpAddress> server_of(std::string_view line) {
  constexpr std::string_view kWord = "nameserver";
  if (!line.starts_with(kWord)) return std::nullopt;
  const std::string_view rest = line.substr(kWord.size());
  if (rest.empty() || (rest.front() != ' ' && rest.front() != '\t')) return std::nullopt;
  const std::string_view text = trim(rest);
  const std::string_view word = text.substr(0, text.find_first_of(" \t#;"));
  const auto v4 = policy::parse_ipv4(word);
  return v4 ? v4 : policy::parse_ipv6(word);
}

}  // namespace

std::vector<policy::IpAddress> parse_name_servers(std::string_view resolv_conf) {
  std::vector<policy::IpAddress> servers;
  for_each_part(resolv_conf, '\n', [&](std::string_view line) {
    const auto server = server_of(line);
    if (server && servers.size() < kMostServers) servers.push_back(*server);
  });
  if (servers.empty()) servers.push_back(*policy::parse_ipv4("127.0.0.1"));
  return servers;
}

const std::vector<policy::IpAddress>& NameServers::list() {
  struct stat status {};
  const bool is_there = ::stat(path_.c_str(), &status) == 0;
  const std::string version = is_there ? cat(status.st_dev, ":", status.st_ino, ":", status.st_mtim.tv_sec, ":",
                                             status.st_mtim.tv_nsec, ":", status.st_size)
                                       : std::string("absent");
  if (version != version_) {
    version_ = version;
    const auto text = read_file(path_, kMostBytes);
    servers_ = parse_name_servers(text ? *text : std::string());
  }
  return servers_;
}

}  // namespace agentctl::egress
