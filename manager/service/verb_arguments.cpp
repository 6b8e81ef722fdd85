// SPDX-License-Identifier: Apache-2.0
#include "manager/service/verb_arguments.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "base/overloaded.h"
#include "base/text.h"
#include "policy/limit_setting.h"
#include "policy/nearest_name.h"

namespace agentctl::manager::service {
namespace {

enum class Type { text, list, flag };

struct Known {
  std::string_view key;
  Type type;
};

constexpr Known kStartOptions[] = {
    {"project", Type::text}, {"command", Type::list}, {"profile", Type::text}, {"name", Type::text},
    {"ro", Type::list},      {"rw", Type::list},      {"hide", Type::list},    {"copy", Type::list},
    {"protect", Type::list}, {"env", Type::list},     {"home", Type::text},    {"net", Type::text},
    {"allow", Type::list},   {"deny", Type::list},    {"manager", Type::text}, {"no-limits", Type::flag}};
constexpr Known kStopOptions[] = {{"grace", Type::text}, {"kill", Type::flag}};
constexpr Known kSetOptions[] = {{"force", Type::flag}};

const char* signature_of(Type type) { return type == Type::text ? "s" : type == Type::list ? "as" : "b"; }

bool is_limit(std::string_view key) {
  const auto& keys = policy::limit_keys();
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

template <std::size_t N>
std::vector<Known> with_limits(const Known (&known)[N]) {
  std::vector<Known> all(std::begin(known), std::end(known));
  for (const std::string_view key : policy::limit_keys()) all.push_back({key, Type::text});
  return all;
}

Result<void> check_value(const std::string& key, const OptionValue& value) {
  const auto refuse = [&](const char* what) { return make_error(ErrorKind::usage, cat("'", key, "' ", what)); };
  if (const auto* text = std::get_if<std::string>(&value); text != nullptr && text->empty())
    return refuse("must not be empty");
  const auto* list = std::get_if<std::vector<std::string>>(&value);
  if (list == nullptr || key == "command") return {};
  if (std::any_of(list->begin(), list->end(), [](const std::string& entry) { return entry.empty(); }))
    return refuse("must not hold an empty text");
  return {};
}

Result<void> check(const Options& options, const std::vector<Known>& known) {
  std::set<std::string_view> seen;
  for (const auto& [key, value] : options) {
    const std::string_view name = key;
    const auto entry =
        std::find_if(known.begin(), known.end(), [name](const Known& other) { return other.key == name; });
    if (entry == known.end()) {
      std::vector<std::string_view> keys;
      for (const Known& other : known) keys.push_back(other.key);
      return make_error(ErrorKind::usage,
                        cat("unknown option '", printable(key), "'", policy::did_you_mean(key, keys)));
    }
    const std::string found = service::signature_of(value);
    if (found != signature_of(entry->type)) {
      return make_error(ErrorKind::usage, cat("'", key, "' must be of type '", signature_of(entry->type), "', not '",
                                              printable(found), "'"));
    }
    if (!seen.insert(key).second) return make_error(ErrorKind::usage, cat("'", key, "' is given twice"));
    AGENTCTL_TRY_VOID(check_value(key, value));
  }
  return {};
}

// "--key=value" in one word: whatever the value begins with, it stays the value.
void append_words(const std::string& key, const OptionValue& value, std::vector<std::string>& words) {
  const std::string option = cat("--", key);
  std::visit(Overloaded{[&](const std::string& text) { words.push_back(cat(option, "=", text)); },
                        [&](const std::vector<std::string>& list) {
                          for (const std::string& entry : list) words.push_back(cat(option, "=", entry));
                        },
                        [&](bool is_set) {
                          if (is_set) words.push_back(option);
                        },
                        [](const OtherType&) {}},
             value);
}

}  // namespace

std::string signature_of(const OptionValue& value) {
  return std::visit(
      Overloaded{[](const std::string&) { return std::string("s"); },
                 [](const std::vector<std::string>&) { return std::string("as"); },
                 [](bool) { return std::string("b"); }, [](const OtherType& other) { return other.signature; }},
      value);
}

Result<StartArguments> start_arguments(const Options& options) {
  AGENTCTL_TRY_VOID(check(options, with_limits(kStartOptions)));
  StartArguments start;
  start.words = {"start", "--detach", "--json", "--quiet"};
  std::vector<std::string> command;
  for (const auto& [key, value] : options) {
    if (key == "project") {
      start.project = std::get<std::string>(value);
    } else if (key == "command") {
      command = std::get<std::vector<std::string>>(value);
    } else {
      append_words(key, value, start.words);
    }
  }
  if (start.project.empty()) return make_error(ErrorKind::usage, "'project' is missing");
  if (!start.project.starts_with('/')) {
    return make_error(ErrorKind::usage,
                      cat("'project' must be an absolute path, not '", printable(start.project), "'"));
  }
  if (!command.empty() && command.front().empty())
    return make_error(ErrorKind::usage, "'command' must begin with a program");
  start.words.emplace_back("--");
  start.words.insert(start.words.end(), command.begin(), command.end());
  return start;
}

Result<std::vector<std::string>> stop_arguments(const std::string& id, const Options& options) {
  AGENTCTL_TRY_VOID(check(options, {std::begin(kStopOptions), std::end(kStopOptions)}));
  std::vector<std::string> words = {"stop"};
  for (const auto& [key, value] : options) append_words(key, value, words);
  words.push_back(id);
  return words;
}

Result<std::vector<std::string>> set_arguments(const std::string& id, const Options& options) {
  AGENTCTL_TRY_VOID(check(options, with_limits(kSetOptions)));
  std::vector<std::string> words = {"set"};
  std::vector<std::string> limits;
  for (const auto& [key, value] : options) {
    if (is_limit(key)) {
      limits.push_back(cat(key, "=", std::get<std::string>(value)));
    } else {
      append_words(key, value, words);
    }
  }
  if (limits.empty()) return make_error(ErrorKind::usage, "no limit is given");
  words.push_back(id);
  words.insert(words.end(), limits.begin(), limits.end());
  return words;
}

}  // namespace agentctl::manager::service
