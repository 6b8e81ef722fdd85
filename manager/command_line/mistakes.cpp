// SPDX-License-Identifier: Apache-2.0
#include "manager/command_line/mistakes.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "manager/command_line/remote_host.h"
#include "policy/nearest_name.h"

namespace agentctl::manager::command_line {
namespace {

// Keys of a policy that have an option of another name.
constexpr std::pair<std::string_view, std::string_view> kOtherNames[] = {
    {"--read-only", "--ro"}, {"--read-write", "--rw"}, {"--pass", "--env"},
    {"--set", "--env"},      {"--network", "--net"},   {"--mode", "--net"}};

}  // namespace

Result<std::string> find_verb(const CLI::App& app, const std::string& word) {
  std::vector<std::string> names;
  std::vector<std::string> candidates;
  for (const CLI::App* verb : app.get_subcommands({})) {
    names.push_back(verb->get_name());
    if (names.back() == word) return word;
    if (!word.empty() && names.back().starts_with(word)) candidates.push_back(names.back());
  }
  if (candidates.size() == 1) return candidates.front();
  const std::string shown = cat("'", printable(word), "' ");
  if (!candidates.empty()) {
    return make_error(ErrorKind::usage, cat(shown, "is ambiguous"), cat("candidates: ", join(candidates, ", ")));
  }
  const std::vector<std::string_view> known(names.begin(), names.end());
  return make_error(ErrorKind::usage, cat(shown, "is not a command of agentctl", policy::did_you_mean(word, known)),
                    "see 'agentctl --help'");
}

Result<void> check_values(const CLI::App& verb, const std::vector<std::string>& words) {
  for (std::size_t at = 0; at + 1 < words.size() && words[at] != "--"; ++at) {
    const CLI::Option* option = words[at].starts_with('-') ? verb.get_option_no_throw(words[at]) : nullptr;
    if (option == nullptr || option->get_items_expected_max() == 0) continue;
    if (words[++at] != "--") continue;
    return make_error(ErrorKind::usage, cat(words[at - 1], " must be followed by a value, not by '--'"),
                      "a file of that name is './--'");
  }
  return {};
}

std::string nearest_option(const CLI::App& app, const std::vector<std::string>& words) {
  if (words.empty()) return {};
  const auto named = app.get_subcommands([&](const CLI::App* verb) { return verb->get_name() == words[0]; });
  if (named.empty()) return {};
  std::vector<std::string> names;
  for (const CLI::Option* option : named.front()->get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back(cat("--", name));
  }
  const std::vector<std::string_view> known(names.begin(), names.end());
  for (const std::string& word : words) {
    if (word == "--") break;
    if (is_host_option(word)) return cat("; '-H HOST' stands before '", words[0], "'");
    const std::string option = word.substr(0, word.find('='));
    if (!option.starts_with("--") || std::find(names.begin(), names.end(), option) != names.end()) continue;
    for (const auto& [key, name] : kOtherNames) {
      const bool has_it = std::find(names.begin(), names.end(), name) != names.end();
      if (option == key && has_it) return cat("; did you mean '", name, "'?");
    }
    return policy::did_you_mean(option, known);
  }
  return {};
}

}  // namespace agentctl::manager::command_line
