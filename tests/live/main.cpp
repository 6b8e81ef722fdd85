// SPDX-License-Identifier: Apache-2.0
#define DOCTEST_CONFIG_IMPLEMENT
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include <doctest/doctest.h>

int main(int argc, char** argv) {
  if (::geteuid() != 0) {
    std::puts("skipped: only root may make cgroups of its own");
    return ::getenv("AGENTCTL_TESTS_REQUIRED") != nullptr ? 1 : 77;
  }
  return doctest::Context(argc, argv).run();
}
