// SPDX-License-Identifier: Apache-2.0
#include "manager/completion/shell_line.h"

#include <doctest/doctest.h>

namespace agentctl::manager {
namespace {

using Words = std::vector<std::string>;

}  // namespace

TEST_SUITE("shell_line") {
  TEST_CASE("a line is taken apart at blanks, and a blank at its end begins an empty word") {
    CHECK(read_shell_line("agentctl  stop\tna").words == Words{"agentctl", "stop", "na"});
    CHECK(read_shell_line("agentctl stop ").words == Words{"agentctl", "stop", ""});
    CHECK(read_shell_line("").words == Words{""});
    CHECK(read_shell_line("a  'b c' d").begins == std::vector<std::size_t>{0, 3, 9});
    CHECK(read_shell_line("a ").begins == std::vector<std::size_t>{0, 2});
  }

  TEST_CASE("quotes and backslashes are taken away as bash takes them") {
    CHECK(read_shell_line(R"(a\ b 'c "d' "e 'f" g\"h)").words == Words{"a b", "c \"d", "e 'f", "g\"h"});
    CHECK(read_shell_line(R"("a\"b\c\\d" 'a\b')").words == Words{R"(a"b\c\d)", R"(a\b)"});
    CHECK(read_shell_line("--home='private'").words == Words{"--home=private"});
  }

  TEST_CASE("a quote that is still open reaches to the cursor, and a last backslash is nothing yet") {
    CHECK(read_shell_line("a \"b c").words == Words{"a", "b c"});
    CHECK(read_shell_line("a 'b ").words == Words{"a", "b "});
    CHECK(read_shell_line("a b\\").words == Words{"a", "b"});
  }

  TEST_CASE("nothing is looked up or run") {
    CHECK(read_shell_line("a $(rm -rf x) `id` $HOME ~").words == Words{"a", "$(rm", "-rf", "x)", "`id`", "$HOME", "~"});
  }

  TEST_CASE("readline keeps what stands before the last of its word breaks") {
    CHECK(kept_by_readline("--home=pri", "pri") == 7);
    CHECK(kept_by_readline("--home=", "=") == 7);
    CHECK(kept_by_readline("--home=pri", "--home=pri") == 0);  // COMP_WORDBREAKS without '='
    CHECK(kept_by_readline("na", "na") == 0);
    CHECK(kept_by_readline("na", "\"na") == 0);
    CHECK(kept_by_readline("na", "name") == 0);  // the cursor stands in the word
    CHECK(kept_by_readline("", "") == 0);
    CHECK(kept_by_readline("abc", "xyz") == 3);
  }
}

}  // namespace agentctl::manager
