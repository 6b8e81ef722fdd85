// SPDX-License-Identifier: Apache-2.0
#include "egress/resolver_process.h"

#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include "base/text.h"
#include "egress/close_descriptors.h"
#include "egress/confinement.h"
#include "policy/host_name.h"

namespace agentctl::egress {
namespace {

using policy::IpAddress;

constexpr std::size_t kMostAddresses = 32;

std::optional<IpAddress> address_in(const addrinfo& found) {
  if (found.ai_family == AF_INET) {
    sockaddr_in v4{};
    std::memcpy(&v4, found.ai_addr, sizeof v4);
    std::array<std::uint8_t, 4> bytes{};
    std::memcpy(bytes.data(), &v4.sin_addr, bytes.size());
    return IpAddress::v4(bytes);
  }
  if (found.ai_family != AF_INET6) return std::nullopt;
  sockaddr_in6 v6{};
  std::memcpy(&v6, found.ai_addr, sizeof v6);
  std::array<std::uint8_t, 16> bytes{};
  std::memcpy(bytes.data(), &v6.sin6_addr, bytes.size());
  return IpAddress::v6(bytes);
}

std::string look_up(const std::string& name) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_ADDRCONFIG;
  addrinfo* first = nullptr;
  const int error = ::getaddrinfo(name.c_str(), nullptr, &hints, &first);
  if (error != 0) return cat("-", error == EAI_SYSTEM ? std::strerror(errno) : ::gai_strerror(error));
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owner(first, ::freeaddrinfo);
  std::string answer = "+";
  std::size_t count = 0;
  for (const addrinfo* at = first; at != nullptr && count < kMostAddresses; at = at->ai_next) {
    const auto address = address_in(*at);
    if (!address) continue;
    answer += cat(count == 0 ? "" : " ", to_string(*address));
    ++count;
  }
  return answer;
}

void serve(int socket) {
  if (!close_all_but({socket}) || !give_up_privileges()) return;
  // No search list of resolv.conf(5): what a rule allows is that name and no longer one. By the variable, for the C
  // library forgets options that were set by a program whenever it reads the file anew.
  if (::setenv("LOCALDOMAIN", ".", 1) != 0) return;
  while (true) {
    std::array<char, policy::kLongestHostName + 1> name{};
    const ssize_t size = ::recv(socket, name.data(), name.size(), 0);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return;
    const std::string answer = look_up({name.data(), static_cast<std::size_t>(size)});
    if (::send(socket, answer.data(), std::min(answer.size(), kLargestResolved), MSG_NOSIGNAL) < 0) return;
  }
}

}  // namespace

Result<ResolverProcess> start_resolver() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    return errno_error("cannot make a socket pair");
  }
  UniqueFd ours(ends[0]);
  const UniqueFd theirs(ends[1]);
  ChildProcess process = AGENTCTL_TRY(ChildProcess::fork([&] { serve(theirs.get()); }));
  return ResolverProcess{std::move(ours), std::move(process)};
}

Result<std::vector<IpAddress>> read_resolved(std::string_view answer) {
  if (!answer.starts_with('+')) {
    return make_error(ErrorKind::environment, printable(answer.empty() ? "nobody looks it up" : answer.substr(1)));
  }
  std::vector<IpAddress> addresses;
  for_each_part(answer.substr(1), ' ', [&](std::string_view part) {
    auto address = policy::parse_ipv4(part);
    if (!address) address = policy::parse_ipv6(part);
    if (address) addresses.push_back(*address);
  });
  return addresses;
}

}  // namespace agentctl::egress
