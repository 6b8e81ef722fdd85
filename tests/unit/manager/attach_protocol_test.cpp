// SPDX-License-Identifier: Apache-2.0
#include "manager/attach_protocol.h"

#include <doctest/doctest.h>

#include "manager/end_report.h"

namespace agentctl::manager {

TEST_SUITE("attach protocol") {
  TEST_CASE("a request is read as it was written") {
    for (const bool read_only : {false, true}) {
      AttachRequest request;
      request.size = {24, 80, 0, 0};
      request.read_only = read_only;
      request.take_over = !read_only;
      const auto read = parse_attach_request(format_attach_request(request));
      REQUIRE(read.has_value());
      CHECK(read->size.ws_row == 24);
      CHECK(read->size.ws_col == 80);
      CHECK(read->read_only == read_only);
      CHECK(read->take_over == !read_only);
    }
  }

  TEST_CASE("what is no request is none") {
    for (const std::string_view text :
         {"", "attach", "attach 24", "attach 0 80", "attach 24 10000", "attach -1 80", "attach 24 80x",
          "attach 24 80 now", "attach  24 80", "attach 24 80 ", "stop 0", "attach 24 99999999999999999999"}) {
      CAPTURE(std::string(text));
      CHECK_FALSE(parse_attach_request(text).has_value());
    }
  }

  TEST_CASE("messages keep every byte, and unknown ones are none") {
    const std::string bytes("\0\xff\n", 3);
    const std::string sent = format_message(MessageKind::input, bytes);
    const auto message = parse_message(sent);
    REQUIRE(message.has_value());
    CHECK(message->kind == MessageKind::input);
    CHECK(message->body == bytes);
    CHECK_FALSE(parse_message("").has_value());
    CHECK_FALSE(parse_message("?x").has_value());
  }

  TEST_CASE("the report of the end is read as it was written, and nothing in it reaches a terminal as it is") {
    const auto report = parse_end_report(serialize({137, {"one", "two"}}));
    REQUIRE(report.has_value());
    CHECK(report->exit_status == 137);
    CHECK(report->lines == std::vector<std::string>{"one", "two"});
    CHECK(parse_end_report("0")->lines.empty());
    CHECK(parse_end_report("1\n\x1b[2J")->lines[0] == "\\x1b[2J");
    for (const std::string_view text : {"", "x", "-1", "256", "1x\nline"})
      CHECK_FALSE(parse_end_report(text).has_value());
  }
}

}  // namespace agentctl::manager
