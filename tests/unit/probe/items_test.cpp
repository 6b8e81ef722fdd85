// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <map>
#include <set>
#include <string>
#include <utility>

#include "manager/json_value.h"
#include "manager/probe/result_text.h"

using namespace agentctl;
using namespace agentctl::probe;

TEST_SUITE_BEGIN("probe_items");

TEST_CASE("there are more than sixty, each with a name of its own, a row and all texts") {
  std::set<std::string_view> names;
  std::map<std::string_view, int> classes;
  for (const Item& item : all_items()) {
    CAPTURE(item.name);
    CHECK(names.insert(item.name).second);
    CHECK(!item.title.empty());
    CHECK(!item.why.empty());
    CHECK(!item.remedy.empty());
    ++classes[class_of(item)];
  }
  CHECK(names.size() > 60);
  CHECK(classes.size() == 6);
  CHECK(classes.count("other") == 0);
}

// The rows of the catalogue: terminal, endpoints, processes, calls, files, launch.
TEST_CASE("each row of the catalogue has an item, or a reason why it has none, and never both") {
  std::set<std::string> rows;
  for (const auto& [letter, count] : {std::pair('A', 9), {'B', 15}, {'C', 18}, {'D', 13}, {'E', 21}, {'H', 10}}) {
    for (int number = 1; number <= count; ++number) rows.insert(letter + std::to_string(number));
  }
  std::set<std::string> tried;
  for (const Item& item : all_items()) {
    CAPTURE(item.name);
    CHECK(rows.contains(std::string(item.row)));
    tried.insert(std::string(item.row));
  }
  std::set<std::string> untried;
  for (const UntriedRow& row : untried_rows()) {
    CAPTURE(row.row);
    CHECK(rows.contains(std::string(row.row)));
    CHECK(untried.insert(std::string(row.row)).second);
    CHECK_FALSE(row.attack.empty());
    CHECK_FALSE(row.reason.empty());
  }
  for (const std::string& row : rows) {
    CAPTURE(row);
    CHECK(tried.contains(row) != untried.contains(row));
  }
  CHECK(list_table(all_items(), untried_rows()).find(untried_rows().front().reason) != std::string::npos);
  const auto listed = manager::parse_json(list_json(all_items(), untried_rows()));
  REQUIRE(listed);
  CHECK((*listed)["items"].items.size() == all_items().size());
  CHECK((*listed)["untried"].items.size() == untried_rows().size());
}

TEST_CASE("the table says what failed, why it matters and what helps") {
  const Item& item = all_items().front();
  const std::vector<Judgement> judgements = {{&item, Verdict::fail, "succeeded"},
                                             {&all_items()[1], Verdict::pass, "EPERM"}};
  const std::string table = result_table(judgements, false);
  CHECK(table.find("FAIL     ") != std::string::npos);
  CHECK(table.find(item.remedy) != std::string::npos);
  CHECK(table.find(all_items()[1].remedy) == std::string::npos);
  CHECK(table.find("1 PASS, 1 FAIL\n") != std::string::npos);
  CHECK(table.find('\033') == std::string::npos);
  CHECK(result_table(judgements, true).find("\033[1;31mFAIL\033[0m") != std::string::npos);
}

TEST_CASE("the JSON holds every item with its verdict") {
  const std::vector<Judgement> judgements = {{&all_items()[0], Verdict::allowed, "a \"quoted\" detail"},
                                             {&all_items()[1], Verdict::invalid, "x"}};
  const auto value = manager::parse_json(result_json(judgements, "sandbox"));
  REQUIRE(value);
  CHECK((*value)["target"].text == "sandbox");
  CHECK((*value)["passed"].text == "false");
  CHECK((*value)["verdicts"]["void"].number() == 1);
  CHECK((*value)["verdicts"]["pass"].number() == 0);
}

TEST_SUITE_END();
