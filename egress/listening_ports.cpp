// SPDX-License-Identifier: Apache-2.0
#include "egress/listening_ports.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <sstream>
#include <string>

#include "base/file.h"
#include "base/text.h"

namespace agentctl::egress {
namespace {

constexpr std::string_view kListens = "0A";  // TCP_LISTEN
// Any address and the loopback's, in 32-bit words of this machine's byte order; IPv4 also inside of IPv6.
constexpr std::string_view kReached[] = {"00000000",
                                         "0100007F",
                                         "00000000000000000000000000000000",
                                         "00000000000000000000000001000000",
                                         "0000000000000000FFFF000000000000",
                                         "0000000000000000FFFF00000100007F"};

}  // namespace

std::set<std::uint16_t> parse_listening_ports(std::string_view table) {
  std::set<std::uint16_t> ports;
  for_each_part(table, '\n', [&](std::string_view line) {
    std::istringstream words{std::string(line)};
    std::string number, local, remote, state;
    if (!(words >> number >> local >> remote >> state) || state != kListens) return;
    const std::size_t colon = local.find(':');
    if (colon == std::string::npos) return;
    const std::string_view address = std::string_view(local).substr(0, colon);
    if (std::find(std::begin(kReached), std::end(kReached), address) == std::end(kReached)) return;
    std::uint16_t port = 0;
    const char* end = local.data() + local.size();
    const auto read = std::from_chars(local.data() + colon + 1, end, port, 16);
    if (read.ec == std::errc() && read.ptr == end && port != 0) ports.insert(port);
  });
  return ports;
}

Result<std::set<std::uint16_t>> read_listening_ports(pid_t inside) {
  constexpr std::size_t kLargestTable = std::size_t{16} << 20;  // a line of 150 bytes for each connection
  std::set<std::uint16_t> ports =
      parse_listening_ports(AGENTCTL_TRY(read_file(cat("/proc/", inside, "/net/tcp"), kLargestTable)));
  const auto v6 = read_file(cat("/proc/", inside, "/net/tcp6"), kLargestTable);  // absent: a kernel without IPv6
  if (v6) ports.merge(parse_listening_ports(*v6));
  return ports;
}

}  // namespace agentctl::egress
