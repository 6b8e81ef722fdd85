// SPDX-License-Identifier: Apache-2.0
#include "manager/detached_request.h"

#include <doctest/doctest.h>

#include "base/text.h"

namespace agentctl::manager {
namespace {

DetachedRequest some_request() {
  DetachedRequest request;
  request.session_id = "1a2b3c4d";
  request.words = {"start", "--detach", "--", "sh", "-c", "", "a\nb\tc\\"};
  request.environment = {"HOME=/home/u", "EMPTY=", "TWO=a=b", "LINES=a\nb"};
  request.surroundings = {"mnt:[4026531841]", "/ 1:2"};
  request.groups = {"1000", "27"};
  request.file_mask = 022;
  request.window = {50, 132};
  return request;
}

std::string replaced(std::string text, std::string_view what, std::string_view by) {
  return text.replace(text.find(what), what.size(), by);
}

bool is_refused(const std::string& text) { return !parse_detached_request(text).has_value(); }

}  // namespace

TEST_SUITE("detached_request") {
  TEST_CASE("what was asked for is what is read, empty words and lines and all") {
    const auto read = parse_detached_request(serialize(some_request()));
    REQUIRE(read.has_value());
    CHECK(*read == some_request());
  }

  TEST_CASE("what is no variable is left out of the environment") {
    DetachedRequest request = some_request();
    request.environment = {"nothing", "=value", "A=1"};
    const auto read = parse_detached_request(serialize(request));
    REQUIRE(read.has_value());
    CHECK(read->environment == std::vector<std::string>{"A=1"});
  }

  TEST_CASE("a request that is cut off, at any place, is refused") {
    const std::string text = serialize(some_request());
    for (std::size_t size = 0; size < text.size(); ++size) {
      CAPTURE(size);
      CHECK(is_refused(text.substr(0, size)));
    }
  }

  TEST_CASE("anything behind the request is refused") {
    CHECK(is_refused(serialize(some_request()) + '\0'));
    CHECK(is_refused(serialize(some_request()) + "x"));
  }

  TEST_CASE("numbers that are none, or too large, or written otherwise, are refused") {
    const std::string text = serialize(some_request());
    const std::string mask(
        "\0"
        "18\0",
        4);
    for (const std::string_view wrong : {"-1", "+18", "018", "", "x", "512", "4294967296", "18 "}) {
      CAPTURE(wrong);
      CHECK(is_refused(replaced(text, mask, cat(std::string(1, '\0'), wrong, std::string(1, '\0')))));
    }
  }

  TEST_CASE("a list that is said to be longer than the text is refused") {
    const std::string text = serialize(some_request());
    CHECK(is_refused(replaced(text,
                              std::string_view("\0"
                                               "7\0start",
                                               8),
                              std::string_view("\0"
                                               "8388608\0start",
                                               14))));
    CHECK(is_refused(replaced(text,
                              std::string_view("\0"
                                               "7\0start",
                                               8),
                              std::string_view("\0"
                                               "8388609\0start",
                                               14))));
  }

  TEST_CASE("another form, an id that is none, no words and no variable are refused") {
    const std::string text = serialize(some_request());
    CHECK(is_refused(replaced(text, "detached 1", "detached 2")));
    CHECK(is_refused(replaced(text, "1a2b3c4d", "../../xx")));
    CHECK(is_refused(replaced(text, "EMPTY=", "EMPTY.")));
    DetachedRequest request = some_request();
    request.words.clear();
    CHECK(is_refused(serialize(request)));
  }

  TEST_CASE("more than any command line is refused unread") {
    DetachedRequest request = some_request();
    request.words.emplace_back(kMaxRequestBytes, 'x');
    CHECK(is_refused(serialize(request)));
  }
}

}  // namespace agentctl::manager
