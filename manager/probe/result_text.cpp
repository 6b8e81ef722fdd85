// SPDX-License-Identifier: Apache-2.0
#include "manager/probe/result_text.h"

#include <algorithm>

#include "base/json.h"
#include "base/text.h"
#include "manager/text_table.h"

namespace agentctl::probe {
namespace {

constexpr Verdict kVerdicts[] = {Verdict::pass, Verdict::allowed, Verdict::skip, Verdict::fail, Verdict::invalid};
constexpr std::size_t kVerdictWidth = 9;

std::string_view colour_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::pass:
      return "\033[32m";
    case Verdict::allowed:
      return "\033[33m";
    case Verdict::skip:
      return "\033[2m";
    case Verdict::fail:
    case Verdict::invalid:
      return "\033[1;31m";
  }
  return "";
}

std::string word(Verdict verdict, bool coloured) {
  const std::string text(to_string(verdict));
  const std::string padding(kVerdictWidth - text.size(), ' ');
  return coloured ? cat(colour_of(verdict), text, "\033[0m", padding) : cat(text, padding);
}

std::size_t count(const std::vector<Judgement>& judgements, Verdict verdict) {
  return static_cast<std::size_t>(std::count_if(
      judgements.begin(), judgements.end(), [&](const Judgement& judgement) { return judgement.verdict == verdict; }));
}

JsonObject describe(const Item& item) {
  JsonObject object;
  object.text("id", item.name).text("row", item.row).text("class", class_of(item)).text("title", item.title);
  object.text("why", item.why).text("source", item.source).text("remedy", item.remedy);
  return object;
}

std::string explain_failure(const Judgement& judgement) {
  const Item& item = *judgement.item;
  const std::string source = item.source.empty() ? std::string() : cat(" (", item.source, ")");
  return cat("\n", item.name, ": an agent can ", item.title, "\n    ", item.why, source, "\n    remedy: ", item.remedy,
             "\n");
}

}  // namespace

std::string result_table(const std::vector<Judgement>& judgements, bool coloured) {
  std::vector<manager::TableRow> rows = {{"ROW", "ITEM", "WHAT MUST NOT WORK", "SEEN"}};
  for (const Judgement& judgement : judgements) {
    const Item& item = *judgement.item;
    rows.push_back({std::string(item.row), std::string(item.name), std::string(item.title), judgement.detail});
  }
  const std::vector<std::string> lines = split(manager::text_table(rows), '\n');
  std::string text = cat(std::string(kVerdictWidth, ' '), lines[0], "\n");
  for (std::size_t at = 0; at < judgements.size(); ++at)
    text += cat(word(judgements[at].verdict, coloured), lines[at + 1], "\n");
  for (const Judgement& judgement : judgements) {
    if (judgement.verdict == Verdict::fail) text += explain_failure(judgement);
  }
  std::vector<std::string> sums;
  for (const Verdict verdict : kVerdicts) {
    if (const std::size_t found = count(judgements, verdict)) sums.push_back(cat(found, " ", to_string(verdict)));
  }
  return cat(text, "\n", join(sums, ", "), "\n");
}

std::string result_json(const std::vector<Judgement>& judgements, std::string_view target) {
  std::string items;
  for (const Judgement& judgement : judgements) {
    JsonObject object = describe(*judgement.item);
    object.text("verdict", to_string(judgement.verdict)).text("detail", judgement.detail);
    items += cat(items.empty() ? "" : ",\n ", object.str());
  }
  JsonObject sums;
  for (const Verdict verdict : kVerdicts) sums.number(ascii_lower(to_string(verdict)), count(judgements, verdict));
  JsonObject whole;
  whole.text("target", target).boolean("passed", is_passed(judgements)).raw("verdicts", sums.str());
  return whole.raw("items", cat("[", items, "]")).str() + "\n";
}

std::string list_table(const std::vector<Item>& items, const std::vector<UntriedRow>& untried) {
  std::vector<manager::TableRow> rows = {{"ROW", "ITEM", "WHAT MUST NOT WORK"}};
  for (const Item& item : items)
    rows.push_back({std::string(item.row), std::string(item.name), std::string(item.title)});
  std::vector<manager::TableRow> others = {{"ROW", "NOT TRIED", "WHY"}};
  for (const UntriedRow& row : untried)
    others.push_back({std::string(row.row), std::string(row.attack), std::string(row.reason)});
  return cat(manager::text_table(rows), "\n", manager::text_table(others));
}

std::string list_json(const std::vector<Item>& items, const std::vector<UntriedRow>& untried) {
  std::vector<std::string> tried;
  for (const Item& item : items) tried.push_back(describe(item).str());
  std::vector<std::string> others;
  for (const UntriedRow& row : untried) {
    JsonObject object;
    object.text("row", row.row).text("attack", row.attack).text("reason", row.reason).text("test", row.test);
    others.push_back(object.str());
  }
  JsonObject whole;
  whole.raw("items", cat("[", join(tried, ",\n "), "]")).raw("untried", cat("[", join(others, ",\n "), "]"));
  return whole.str() + "\n";
}

}  // namespace agentctl::probe
