// SPDX-License-Identifier: Apache-2.0
#include "egress/socket_filter.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <functional>

#include "base/child_process.h"
#include "egress/host_network.h"

namespace agentctl::egress {
namespace {

// What the work gives in a process that has the filter.
int behind_filter(const std::function<int()>& work) {
  auto child = ChildProcess::fork([&] {
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || !install_socket_filter()) ::_exit(99);
    ::_exit(work());
  });
  REQUIRE(child.has_value());
  const int status = child->wait();
  REQUIRE(WIFEXITED(status));
  return WEXITSTATUS(status);
}

int error_of(long result) { return result < 0 ? errno : 0; }
int socket_error(int family, int type, int protocol) {
  return behind_filter([=] { return error_of(::socket(family, type | SOCK_CLOEXEC, protocol)); });
}

TEST_SUITE("socket_filter") {
  TEST_CASE("sockets of TCP can be made, and of the kernel's routing") {
    CHECK_EQ(socket_error(AF_INET, SOCK_STREAM, 0), 0);
    CHECK_EQ(socket_error(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE), 0);
    CHECK_EQ(behind_filter([] { return read_near_networks() ? 0 : 1; }), 0);
  }

  TEST_CASE("no other sockets can be made") {
    CHECK_EQ(socket_error(AF_UNIX, SOCK_STREAM, 0), EPERM);
    CHECK_EQ(socket_error(AF_PACKET, SOCK_RAW, 0), EPERM);
    CHECK_EQ(socket_error(AF_NETLINK, SOCK_RAW, NETLINK_NETFILTER), EPERM);
  }

  TEST_CASE("no file can be opened") {
    CHECK_EQ(behind_filter([] { return error_of(::open("/etc/passwd", O_RDONLY | O_CLOEXEC)); }), EPERM);
    CHECK_EQ(behind_filter([] { return error_of(::unlink("/nowhere")); }), EPERM);
  }

  TEST_CASE("no process can be made, none run, and none signalled") {
    CHECK_EQ(behind_filter([] { return error_of(::fork()); }), EPERM);
    CHECK_EQ(behind_filter([] {
               char* const argv[] = {nullptr};
               return error_of(::execve("/bin/true", argv, argv));
             }),
             EPERM);
    CHECK_EQ(behind_filter([] { return error_of(::kill(::getppid(), 0)); }), EPERM);
  }

  TEST_CASE("memory can be had, and none of it executed") {
    const auto map = [](int protection) {
      const void* place = ::mmap(nullptr, 4096, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      return place == MAP_FAILED ? errno : 0;
    };
    CHECK_EQ(behind_filter([&] { return map(PROT_READ | PROT_WRITE); }), 0);
    CHECK_EQ(behind_filter([&] { return map(PROT_READ | PROT_EXEC); }), EPERM);
  }
}

}  // namespace
}  // namespace agentctl::egress
