// SPDX-License-Identifier: Apache-2.0
#include "egress/listening_ports.h"

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/text.h"
#include "base/unique_fd.h"

namespace agentctl::egress {
namespace {

using Ports = std::set<std::uint16_t>;

std::string line(std::string_view local, std::string_view state) {
  return cat("   0: ", local, " 00000000:0000 ", state, " 00000000:00000000 00:00000000 00000000  1000  0 12345 1\n");
}
std::string table(std::string_view lines) {
  return cat("  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid\n", lines);
}

TEST_SUITE("listening_ports") {
  TEST_CASE("what listens on any address or the loopback's is found") {
    CHECK_EQ(parse_listening_ports(table(line("00000000:0BB8", "0A") + line("0100007F:1F90", "0A"))),
             Ports{3000, 8080});
    const std::string v6 = line("00000000000000000000000000000000:0BB8", "0A") +
                           line("00000000000000000000000001000000:1F90", "0A") +
                           line("0000000000000000FFFF00000100007F:1F91", "0A");
    CHECK_EQ(parse_listening_ports(table(v6)), Ports{3000, 8080, 8081});
  }

  TEST_CASE("connections, other addresses and nonsense are left out") {
    CHECK_EQ(parse_listening_ports(table(line("0100007F:0BB8", "01"))), Ports{});
    CHECK_EQ(parse_listening_ports(table(line("0200000A:0BB8", "0A"))), Ports{});
    for (const char* text : {"", "\n\n", "0: 0100007F 0 0A\n", "0: 0100007F:0000 0 0A\n", "0: 0100007F:1F90x 0 0A\n",
                             "0: 0100007F:FFFFF 0 0A\n", "0: :1F90 0 0A\n"}) {
      CHECK_EQ(parse_listening_ports(text), Ports{});
    }
  }

  TEST_CASE("the kernel's own tables are understood") {
    const UniqueFd listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    REQUIRE_EQ(::bind(listener.get(), reinterpret_cast<sockaddr*>(&address), size), 0);
    REQUIRE_EQ(::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
    const std::uint16_t port = ntohs(address.sin_port);
    CHECK_FALSE(read_listening_ports(::getpid())->contains(port));
    REQUIRE_EQ(::listen(listener.get(), 1), 0);
    CHECK(read_listening_ports(::getpid())->contains(port));
  }

  TEST_CASE("of a process that is gone there is an error") { CHECK_FALSE(read_listening_ports(-1).has_value()); }
}

}  // namespace
}  // namespace agentctl::egress
