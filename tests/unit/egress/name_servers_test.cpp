// SPDX-License-Identifier: Apache-2.0
#include "egress/name_servers.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include "base/text.h"
#include "tests/support/scratch_dir.h"

namespace agentctl::egress {
namespace {

std::string servers(std::string_view text) {
  std::vector<std::string> words;
  for (const policy::IpAddress& server : parse_name_servers(text)) words.push_back(to_string(server));
  return join(words, " ");
}

}  // namespace

TEST_SUITE("name_servers") {
  TEST_CASE("the first three count, whatever stands around them") {
    CHECK(
        servers(
            "# by hand\nsearch a.example\nnameserver 192.0.2.1\nnameserver\t2001:db8::1  # second\noptions rotate\n") ==
        "192.0.2.1 2001:db8::1");
    CHECK(servers("nameserver 1.1.1.1\nnameserver 1.1.1.2\nnameserver 1.1.1.3\nnameserver 1.1.1.4") ==
          "1.1.1.1 1.1.1.2 1.1.1.3");
  }

  TEST_CASE("without one that can be used it is this machine, as for the C library") {
    CHECK(servers("") == "127.0.0.1");
    CHECK(servers("nameserver fe80::1%eth0\nnameserver\nnameserver 1.2.3\nnameserverx 1.1.1.1\n") == "127.0.0.1");
    CHECK(servers(std::string(100'000, 'n')) == "127.0.0.1");
  }

  TEST_CASE("a file that is replaced is read anew") {
    const test::ScratchDir scratch;
    const std::string path = scratch.path() + "/resolv.conf";
    const auto write = [&](const char* text) {
      std::ofstream(path + ".new") << text;
      std::filesystem::rename(path + ".new", path);
    };
    NameServers known(path);
    CHECK(to_string(known.list().front()) == "127.0.0.1");
    write("nameserver 192.0.2.1\n");
    CHECK(to_string(known.list().front()) == "192.0.2.1");
    write("nameserver 192.0.2.2\n");
    CHECK(to_string(known.list().front()) == "192.0.2.2");
    std::filesystem::remove(path);
    CHECK(to_string(known.list().front()) == "127.0.0.1");
  }
}

}  // namespace agentctl::egress
