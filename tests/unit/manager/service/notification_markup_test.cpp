// SPDX-License-Identifier: Apache-2.0
#include "manager/service/notification_markup.h"

#include <doctest/doctest.h>

#include "base/text.h"

namespace agentctl::manager::service {

TEST_SUITE_BEGIN("notification_markup");

TEST_CASE("a body brings no markup") {
  CHECK(notification_body({"<a href=\"http://x\">click</a>", "a & b", "&lt;"}) ==
        "&lt;a href=\"http://x\"&gt;click&lt;/a&gt;\na &amp; b\n&amp;lt;");
  CHECK(notification_body({"<img src='file:///etc/passwd'/>"}).find('<') == std::string::npos);
}

TEST_CASE("nothing but printable text gets through, one line each") {
  CHECK(notification_body({"a\nb\x1b[31m", "\xff",
                           "\xe2\x80\xae"
                           "gpj"}) == "a\\x0ab\\x1b[31m\n\\xff\n\\u202egpj");
  CHECK(notification_title("a\nb") == "a\\x0ab");
}

TEST_CASE("a title is no markup, and stays as it is") { CHECK(notification_title("a <b> & c") == "a <b> & c"); }

TEST_CASE("long lines are cut between characters and never within an entity") {
  const std::string body = notification_body({std::string(300, '<')});
  CHECK(body.size() == 240 * 4 + 3);
  CHECK(body.ends_with("&lt;…"));
  std::string umlauts;
  for (int i = 0; i < 200; ++i) umlauts += "ü";
  const std::string cut = notification_title(cat("x", umlauts));
  CHECK(cut.ends_with("ü…"));
  CHECK(printable(cut) == cut);
}

TEST_CASE("of many lines the first are shown, and how many more there are") {
  const std::string body = notification_body(std::vector<std::string>(9, "x"));
  CHECK(body == "x\nx\nx\nx\nx\nx\nand 3 more");
  CHECK(notification_body({}).empty());
}

TEST_SUITE_END();

}  // namespace agentctl::manager::service
