// SPDX-License-Identifier: Apache-2.0
#include "base/base64.h"

#include <doctest/doctest.h>

namespace agentctl {

TEST_SUITE("base64") {
  TEST_CASE("the examples of RFC 4648 come out as it says") {
    CHECK_EQ(base64(""), "");
    CHECK_EQ(base64("f"), "Zg==");
    CHECK_EQ(base64("fo"), "Zm8=");
    CHECK_EQ(base64("foo"), "Zm9v");
    CHECK_EQ(base64("foob"), "Zm9vYg==");
    CHECK_EQ(base64("fooba"), "Zm9vYmE=");
    CHECK_EQ(base64("foobar"), "Zm9vYmFy");
  }

  TEST_CASE("every byte counts, also beyond ASCII") {
    CHECK_EQ(base64(std::string_view("\xff\xfe\x00\xfb", 4)), "//4A+w==");
    CHECK_EQ(base64("Aladdin:open sesame"), "QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
  }
}

}  // namespace agentctl
