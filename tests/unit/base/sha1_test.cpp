// SPDX-License-Identifier: Apache-2.0
#include "base/sha1.h"

#include <doctest/doctest.h>

namespace agentctl {

TEST_SUITE("sha1") {
  // FIPS 180-1, appendices A to C, and the empty message of the NIST validation suite.
  TEST_CASE("the vectors of the standard come out") {
    CHECK(sha1_hex("") == "da39a3ee5e6b4b0d3255bfef95601890afd80709");
    CHECK(sha1_hex("abc") == "a9993e364706816aba3e25717850c26c9cd0d89d");
    CHECK(sha1_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
          "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
    CHECK(sha1_hex(std::string(1'000'000, 'a')) == "34aa973cd4c4daa4f61eeb2bdbad27316534016f");
  }

  TEST_CASE("a NUL byte counts like any other") { CHECK(sha1_hex(std::string_view("a\0b", 3)) != sha1_hex("a")); }
}

}  // namespace agentctl
