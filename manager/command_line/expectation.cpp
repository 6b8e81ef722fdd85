// SPDX-License-Identifier: Apache-2.0
#include "manager/completion/expectation.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "manager/command_line/mistakes.h"
#include "manager/command_line/verbs.h"
#include "policy/limit_setting.h"

namespace agentctl::manager {
namespace {

using namespace command_line;
using Kind = Expectation::Kind;

// What an option or a positional takes that its help does not list.
constexpr std::pair<std::string_view, Kind> kKinds[] = {
    {"--profile", Kind::profiles},
    {"--from", Kind::profiles},
    {"--project", Kind::directories},
    {"--ro", Kind::files},
    {"--rw", Kind::files},
    {"--hide", Kind::files},
    {"--copy", Kind::files},
    {"--protect", Kind::files},
    {"--env", Kind::variables},
    {"--host", Kind::hosts},
    {"--name", Kind::nothing},
    {"--parent-pid", Kind::nothing},
    {"--grace", Kind::nothing},
    {"--publish", Kind::nothing},
    {"--allow", Kind::nothing},
    {"--deny", Kind::nothing},
    {"HOST", Kind::nothing},
    {"PORT", Kind::nothing},
    {"--against", Kind::nothing},
    {"SUBJECT", Kind::files},
    {"DIR", Kind::directories},
    {"NAME", Kind::running_sessions},
};

bool takes_value(const CLI::Option* option) { return option != nullptr && option->get_items_expected_max() > 0; }

// The words of a help such as "network: host or none"; none where it tells something else.
std::vector<std::string> listed_words(const std::string& help) {
  const std::size_t colon = help.rfind(": ");
  if (colon == std::string::npos) return {};
  std::string list = help.substr(colon + 2);
  const std::size_t last = list.rfind(" or ");
  if (last == std::string::npos) return {};
  list.replace(last, 4, ",");
  std::vector<std::string> words;
  for (const std::string& part : split(list, ',')) {
    words.emplace_back(trim(part));
    if (words.back().find_first_of(" ()") != std::string::npos) return {};
  }
  return words;
}

Expectation among(const std::vector<std::string>& words, std::string kept) {
  Expectation expected{.kind = Kind::words};
  for (const std::string& word : words) expected.candidates.push_back({kept + word, ""});
  expected.kept = std::move(kept);
  return expected;
}

bool is_limit(std::string_view name) {
  const auto& keys = policy::limit_keys();
  return std::find(keys.begin(), keys.end(), name) != keys.end();
}

Expectation value_of(const CLI::Option& option, std::string kept) {
  const std::vector<std::string> listed = listed_words(option.get_description());
  if (!listed.empty()) return among(listed, std::move(kept));
  const std::string name = option.get_name();  // "--long", or that of a positional
  Expectation expected{.kind = Kind::unknown};
  for (const auto& [known, kind] : kKinds) {
    if (known == name) expected.kind = kind;
  }
  if (name.starts_with("--") && is_limit(std::string_view(name).substr(2))) expected.kind = Kind::nothing;
  expected.kept = std::move(kept);
  return expected;
}

// The limits that `set` changes; what comes after the '=' is for the user to say.
Expectation limits() {
  Expectation expected{.kind = Kind::words};
  for (const std::string_view key : policy::limit_keys()) {
    if (key != "oom") expected.candidates.push_back({cat(key, "="), ""});  // which is fixed when a session starts
  }
  return expected;
}

// Where the words have led to, all but the last.
class Place {
 public:
  explicit Place(Verbs& verbs) : verbs_(verbs), app_(&verbs.app()) {}

  // False: nothing can be said of what comes.
  bool pass(const std::string& word) {
    if (open_ != nullptr) {
      open_ = nullptr;
      return true;
    }
    if (!options_have_ended_ && word == "--") {
      options_have_ended_ = true;
      is_in_command_ = takes_command();
      return true;
    }
    if (is_option(word)) {
      const bool is_whole = word.find('=') == std::string::npos && (word[1] == '-' || word.size() == 2);
      const CLI::Option* option = find_option(word.substr(0, word.find('=')));
      if (option != nullptr && option->check_lname("host")) is_remote_ = true;
      if (is_whole && takes_value(option)) open_ = option;
      return true;
    }
    if (!app_->get_subcommands({}).empty()) return descend(word);
    ++positionals_;
    return true;
  }

  // `is_typed`: the word may still become an option.
  [[nodiscard]] bool begins_command(const std::string& word, bool is_typed) const {
    if (is_in_command_) return true;
    if (!takes_command() || open_ != nullptr || is_option(word) || (is_typed && word == "-")) return false;
    return positionals_ == positionals().size();
  }
  [[nodiscard]] bool is_remote() const { return is_remote_; }

  [[nodiscard]] Expectation at(const std::string& word) const {
    if (open_ != nullptr) return value_of(*open_, "");
    if (is_option(word) || (word == "-" && !options_have_ended_)) return option_or_value(word);
    const auto below = app_->get_subcommands({});
    if (!below.empty()) {
      Expectation expected{.kind = Kind::words};
      for (const CLI::App* verb : below) expected.candidates.push_back({verb->get_name(), verb->get_description()});
      return expected;
    }
    return positional();
  }

 private:
  [[nodiscard]] bool is_option(const std::string& word) const {
    return !options_have_ended_ && word.size() > 1 && word[0] == '-';
  }

  [[nodiscard]] const CLI::Option* find_option(const std::string& word) const {
    return app_->get_option_no_throw(word[1] == '-' ? word : word.substr(0, 2));
  }

  [[nodiscard]] bool takes_command() const { return verb_ != nullptr && verb_->take_command != nullptr; }

  bool descend(const std::string& word) {
    const auto name = find_verb(*app_, word);
    if (!name) return false;
    if (verb_ == nullptr) verb_ = &verbs_.find(*name);
    path_.push_back(*name);
    app_ = app_->get_subcommand(*name);
    return true;
  }

  [[nodiscard]] std::vector<const CLI::Option*> positionals() const {
    return app_->get_options([](const CLI::Option* option) { return option->get_positional(); });
  }

  [[nodiscard]] Expectation option_or_value(const std::string& word) const {
    const std::size_t equals = word.find('=');
    const bool is_short = word.size() > 2 && word[1] != '-';
    if (equals != std::string::npos || is_short) {
      const std::string kept = is_short ? word.substr(0, 2) : word.substr(0, equals + 1);
      const CLI::Option* option = find_option(word.substr(0, equals));
      return takes_value(option) ? value_of(*option, kept) : Expectation{};
    }
    Expectation expected{.kind = Kind::words};
    for (const CLI::Option* option : app_->get_options({})) {
      for (const std::string& name : option->get_lnames())
        expected.candidates.push_back({cat("--", name), option->get_description()});
    }
    return expected;
  }

  [[nodiscard]] Expectation positional() const {
    const auto all = positionals();
    if (all.empty()) return {};
    const CLI::Option* option = all[std::min(positionals_, all.size() - 1)];
    if (positionals_ >= all.size() && option->get_items_expected_max() <= 1) return {};
    if (option->get_name() == "LIMIT") return limits();
    Expectation expected = value_of(*option, "");
    if (option->get_name() != "NAME") return expected;
    if (path_.front() == "profile") expected.kind = Kind::profiles;
    if (path_.front() == "receipt" || path_.front() == "logs") expected.kind = Kind::known_sessions;
    return expected;
  }

  Verbs& verbs_;
  const CLI::App* app_;
  const Verb* verb_ = nullptr;
  std::vector<std::string> path_;
  const CLI::Option* open_ = nullptr;  // waits for its value
  std::size_t positionals_ = 0;
  bool options_have_ended_ = false;
  bool is_in_command_ = false;
  bool is_remote_ = false;
};

}  // namespace

Expectation expect(const std::vector<std::string>& words) {
  Verbs verbs;
  Place place(verbs);
  for (std::size_t at = 0; at < words.size(); ++at) {
    const bool is_last = at + 1 == words.size();
    if (place.begins_command(words[at], is_last)) {
      if (place.is_remote()) return {};  // what is there, this machine does not know
      return {.kind = Kind::command, .command_at = at};
    }
    if (!is_last && !place.pass(words[at])) return {};
  }
  Expectation expected = place.at(words.back());
  const bool is_elsewhere = expected.kind != Kind::words && expected.kind != Kind::hosts;
  return place.is_remote() && is_elsewhere ? Expectation{} : expected;
}

}  // namespace agentctl::manager
