// SPDX-License-Identifier: Apache-2.0
#include "units/bus_address.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>

#include <doctest/doctest.h>

#include "tests/support/scratch_dir.h"

namespace agentctl::units {
namespace {

UniqueFd listen_at(const std::string& path) {
  UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  REQUIRE(path.size() < sizeof address.sun_path);
  std::memcpy(address.sun_path, path.data(), path.size());
  REQUIRE(::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  REQUIRE(::listen(fd.get(), 1) == 0);
  return fd;
}

}  // namespace

TEST_SUITE_BEGIN("bus_address");

TEST_CASE("the bus is asked first, the manager's own socket last") {
  CHECK(user_addresses({"unix:path=/a/bus", "/a", 7}) ==
        std::vector<BusAddress>{{"/a/bus", true},
                                {"/run/user/7/bus", true},
                                {"/a/systemd/private", false},
                                {"/run/user/7/systemd/private", false}});
  CHECK(user_addresses({std::nullopt, std::nullopt, 7}) ==
        std::vector<BusAddress>{{"/run/user/7/bus", true}, {"/run/user/7/systemd/private", false}});
}

TEST_CASE("bus addresses are read as the specification writes them, and what is no socket is left out") {
  CHECK(parse_bus_address("unix:path=/x%20y,guid=1;unix:abstract=z;unix:runtime=yes", "/r") ==
        std::vector<std::string>{"/x y", "@z", "/r/bus"});
  CHECK(parse_bus_address("tcp:host=localhost,port=1;unixexec:path=/bin/sh;unix:path=relative", "/r").empty());
  CHECK(parse_bus_address("unix:path=/100%;unix:path=/%zz", "") == std::vector<std::string>{"/100%", "/%zz"});
}

TEST_CASE("a socket of ours is connected to") {
  const test::ScratchDir dir;
  const UniqueFd listener = listen_at(dir.path() + "/s");
  const auto socket = connect_socket(dir.path() + "/s", ::geteuid(), 100);
  REQUIRE(socket.has_value());
  CHECK(socket->peer == ::getpid());
}

TEST_CASE("a socket of another user is refused") {
  const test::ScratchDir dir;
  const UniqueFd listener = listen_at(dir.path() + "/s");
  const auto socket = connect_socket(dir.path() + "/s", ::geteuid() + 1, 100);
  REQUIRE_FALSE(socket.has_value());
  CHECK(socket.error().kind == ErrorKind::environment);
  CHECK(socket.error().message.find("belongs to uid") != std::string::npos);
}

TEST_CASE("a dead socket, none at all and a name too long are errors") {
  const test::ScratchDir dir;
  listen_at(dir.path() + "/s").reset();
  CHECK_FALSE(connect_socket(dir.path() + "/s", ::geteuid(), 100).has_value());
  CHECK_FALSE(connect_socket(dir.path() + "/none", ::geteuid(), 100).has_value());
  CHECK_FALSE(connect_socket("@" + std::string(200, 'x'), ::geteuid(), 100).has_value());
}

TEST_CASE("a listener that takes no more connections is given up at the deadline") {
  const test::ScratchDir dir;
  const UniqueFd listener = listen_at(dir.path() + "/s");
  std::vector<ManagerSocket> queued;
  while (queued.size() < 10) {
    auto socket = connect_socket(dir.path() + "/s", ::geteuid(), 50);
    if (!socket) break;
    queued.push_back(std::move(*socket));
  }
  CHECK(queued.size() < 10);
}

TEST_CASE("a pid namespace is shared when the peer has one number only") {
  CHECK(shares_pid_namespace("Name:\tsystemd\nNSpid:\t812\nNSpgid:\t812\n"));
  CHECK_FALSE(shares_pid_namespace("Name:\tsystemd\nNSpid:\t812\t1\nNSpgid:\t812\t1\n"));
  CHECK_FALSE(shares_pid_namespace("Name:\tsystemd\n"));
}

TEST_SUITE_END();

}  // namespace agentctl::units
