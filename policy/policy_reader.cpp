// SPDX-License-Identifier: Apache-2.0
#include "policy/policy_reader.h"

#include <algorithm>
#include <array>

// toml++ 3.3 asserts, in debug builds, what it handles two lines further down as a fault of syntax ("[="), and tells
// the optimiser in release builds that it cannot be. Its assertions are made to say nothing in either.
#undef NDEBUG
#define TOML_ASSERT(expression) static_cast<void>(0)
#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

#include "base/text.h"
#include "policy/entry.h"
#include "policy/file_lists.h"
#include "policy/limit_setting.h"
#include "policy/nearest_name.h"
#include "policy/toml_fault.h"

namespace agentctl::policy {
namespace {

using Names = std::span<const std::string_view>;

constexpr std::string_view kLater = "is not supported by this version";
constexpr std::array<std::string_view, 5> kTables = {"agent", "limits", "files", "env", "network"};
constexpr std::array<std::string_view, 4> kLaterTables = {"allow", "terminal", "budget", "autostart"};
constexpr std::array<std::string_view, 1> kAgentKeys = {"command"};
constexpr std::array<std::string_view, 7> kFilesKeys = {"home", "read-only", "read-write", "copy",
                                                        "hide", "protect",   "optional"};
constexpr std::array<std::string_view, 2> kEnvKeys = {"pass", "set"};
constexpr std::array<std::string_view, 1> kNetworkKeys = {"mode"};
constexpr std::array<std::string_view, 4> kLaterNetworkKeys = {"allow", "deny", "publish", "host-ports"};

bool contains(Names names, std::string_view name) { return std::find(names.begin(), names.end(), name) != names.end(); }

std::string_view describe(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::table:
      return "a table";
    case toml::node_type::array:
      return "an array";
    case toml::node_type::string:
      return "text";
    case toml::node_type::integer:
      return "an integer";
    case toml::node_type::floating_point:
      return "a number with a fraction";
    case toml::node_type::boolean:
      return "a boolean";
    case toml::node_type::date:
    case toml::node_type::time:
    case toml::node_type::date_time:
      return "a date or time";
    case toml::node_type::none:
      return "nothing";
  }
  return "nothing";
}

// Walks one parsed document. Lives for one read_policy().
class Reader {
 public:
  Reader(std::string_view source, const std::vector<std::string>& lines) : source_(source), lines_(lines) {}

  void read_document(const toml::table& document) {
    for (const auto& [key, node] : document) {
      if (contains(kLaterTables, key.str())) {
        refuse(key.source(), cat("table '", key.str(), "' ", kLater));
      } else if (!contains(kTables, key.str())) {
        refuse_stray(key, node);
      } else if (!node.is_table()) {
        const std::string wanted = cat("'", key.str(), "' must be a table, written as '[", key.str(), "]'; got ");
        refuse(key.source(), cat(wanted, describe(node)));
      } else {
        read_table(key.str(), *node.as_table());
      }
    }
  }

  void refuse(const toml::source_region& place, std::string message) {
    const Origin origin = origin_of(place);
    const auto line = static_cast<std::size_t>(origin.line);
    mistakes.push_back({origin, std::move(message), line >= 1 && line <= lines_.size() ? lines_[line - 1] : ""});
  }

  Policy policy;
  std::vector<Diagnostic> mistakes;

 private:
  [[nodiscard]] Origin origin_of(const toml::source_region& place) const {
    return {source_, static_cast<int>(place.begin.line), static_cast<int>(place.begin.column)};
  }

  // A key before the first table header, or an unknown table.
  void refuse_stray(const toml::key& key, const toml::node& node) {
    const std::string name = printable(key.str());
    if (node.is_table() || node.is_array_of_tables()) {
      return refuse(key.source(), cat("unknown table '", name, "'", did_you_mean(key.str(), kTables)));
    }
    for (const std::string_view table : kTables) {
      if (!contains(keys_of(table), key.str())) continue;
      return refuse(key.source(), cat("'", name, "' must stand below '[", table, "]'"));
    }
    refuse(key.source(), cat("unknown key '", name, "' outside of any table"));
  }

  [[nodiscard]] static Names keys_of(std::string_view table) {
    if (table == "agent") return kAgentKeys;
    if (table == "limits") return limit_keys();
    if (table == "files") return kFilesKeys;
    if (table == "env") return kEnvKeys;
    return kNetworkKeys;
  }

  void read_table(std::string_view table, const toml::table& keys) {
    for (const auto& [key, node] : keys) {
      const std::string_view name = key.str();
      if (table == "network" && contains(kLaterNetworkKeys, name)) {
        refuse(key.source(), cat("'", name, "' of [network] ", kLater));
      } else if (!contains(keys_of(table), name)) {
        refuse(key.source(),
               cat("unknown key '", printable(name), "' in [", table, "]", did_you_mean(name, keys_of(table))));
      } else if (table == "agent") {
        read_command(node);
      } else if (table == "limits") {
        read_limit(name, node);
      } else if (table == "files") {
        read_files_key(name, node);
      } else if (table == "env") {
        read_env_key(name, node);
      } else {
        read_network_mode(node);
      }
    }
  }

  void read_env_key(std::string_view name, const toml::node& node) {
    if (name == "set") return read_env_set(node);
    read_entries(name, node, policy.env.pass, check_pass_entry);
  }

  void read_command(const toml::node& node) {
    Entries words;
    const std::size_t before = mistakes.size();
    read_entries("command", node, words, [](std::string_view word) -> Result<void> {
      if (word.find('\0') == std::string_view::npos) return {};
      return make_error(ErrorKind::policy, "must not hold a NUL character");
    });
    if (mistakes.size() != before) return;
    if (words.empty() || words[0].text.empty()) {
      return refuse(node.source(), "'command' must name a program, as in [\"claude\"]");
    }
    policy.command.emplace();
    policy.command->origin = origin_of(node.source());
    for (Entry& word : words) policy.command->value.push_back(std::move(word.text));
  }

  void read_limit(std::string_view name, const toml::node& node) {
    std::string text;
    if (const auto* value = node.as_string()) {
      text = value->get();
    } else if (const auto* number = node.as_integer(); number != nullptr && name != "oom" && name != "cpu-quota") {
      text = std::to_string(number->get());
    } else {
      const std::string_view example = name == "oom"         ? "\"process\" or \"session\""
                                       : name == "cpu-quota" ? "a percentage in quotes, as in \"150%\""
                                                             : "text or a whole number";
      return refuse(node.source(), cat("'", name, "' must be ", example, "; got ", describe(node)));
    }
    auto assigned = assign_limit(policy.limits, name, text, origin_of(node.source()));
    if (!assigned) refuse(node.source(), std::move(assigned.error().message));
  }

  void read_files_key(std::string_view name, const toml::node& node) {
    if (name == "home") return read_home(node);
    for (const FileList& list : kFileLists) {
      if (list.name != name) continue;
      const Globs globs = list.has_globs ? Globs::allowed : Globs::refused;
      read_entries(name, node, policy.files.*list.entries,
                   [globs](std::string_view entry) { return check_path_entry(entry, globs); });
    }
  }

  template <typename Check>
  void read_entries(std::string_view name, const toml::node& node, Entries& list, Check check) {
    const toml::array* items = node.as_array();
    if (items == nullptr) {
      return refuse(node.source(), cat("'", name, "' must be a list, as in [\"…\"]; got ", describe(node)));
    }
    for (const toml::node& item : *items) {
      const auto* text = item.as_string();
      if (text == nullptr) {
        refuse(item.source(), cat("an entry of '", name, "' must be text in quotes; got ", describe(item)));
      } else if (auto checked = check(std::string_view(text->get())); !checked) {
        refuse(item.source(), cat("'", printable(text->get()), "' in '", name, "' ", checked.error().message));
      } else {
        list.push_back({text->get(), origin_of(item.source())});
      }
    }
  }

  void read_env_set(const toml::node& node) {
    const toml::table* variables = node.as_table();
    if (variables == nullptr) {
      return refuse(node.source(), cat("'set' must be a table, as in { NAME = \"value\" }; got ", describe(node)));
    }
    for (const auto& [key, value] : *variables) {
      const auto* text = value.as_string();
      const auto* number = value.as_integer();
      if (text == nullptr && number == nullptr) {
        refuse(value.source(),
               cat("'", printable(key.str()), "' in 'set' must be text in quotes; got ", describe(value)));
        continue;
      }
      std::string shown = text != nullptr ? text->get() : std::to_string(number->get());
      if (auto checked = check_env_value(key.str(), shown); !checked) {
        refuse(key.source(), cat("'", printable(key.str()), "' in 'set' ", checked.error().message));
      } else {
        policy.env.set[std::string(key.str())] = {std::move(shown), origin_of(value.source())};
      }
    }
  }

  // The text of a key with a fixed set of words; reports and returns nothing for what is no text.
  [[nodiscard]] std::optional<std::string> read_word(std::string_view name, const toml::node& node,
                                                     std::string_view words) {
    if (const auto* text = node.as_string()) return text->get();
    refuse(node.source(), cat("'", name, "' must be ", words, "; got ", describe(node)));
    return std::nullopt;
  }

  void read_home(const toml::node& node) {
    const auto word = read_word("home", node, "\"private\"");
    if (!word) return;
    if (*word == "private") {
      policy.files.home = Setting<HomeMode>{HomeMode::private_home, origin_of(node.source())};
    } else if (*word == "persistent" || *word == "read-only") {
      refuse(node.source(), cat("home = \"", *word, "\" ", kLater, "; it has \"private\""));
    } else {
      refuse(node.source(), cat("'home' must be \"private\"; got '", printable(*word), "'"));
    }
  }

  void read_network_mode(const toml::node& node) {
    const auto word = read_word("mode", node, "\"host\" or \"none\"");
    if (!word) return;
    if (*word == "host" || *word == "none") {
      policy.network =
          Setting<NetworkMode>{*word == "host" ? NetworkMode::host : NetworkMode::none, origin_of(node.source())};
    } else if (*word == "nat" || *word == "allowlist") {
      refuse(node.source(), cat("mode = \"", *word, "\" ", kLater, "; it has \"host\" and \"none\""));
    } else {
      refuse(node.source(), cat("'mode' must be \"host\" or \"none\"; got '", printable(*word), "'"));
    }
  }

  std::string source_;
  const std::vector<std::string>& lines_;
};

toml::source_region place_of(std::string_view text, std::size_t at) {
  const std::string_view before = text.substr(0, at);
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  toml::source_region place;
  place.begin.line = static_cast<toml::source_index>(std::count(before.begin(), before.end(), '\n') + 1);
  place.begin.column = 1;
  for (const char byte : before.substr(line_start)) {
    if ((static_cast<unsigned char>(byte) & 0xc0) != 0x80) ++place.begin.column;
  }
  return place;
}

// toml++ stops at the first fault of syntax; the rest of the file is read without that line where this is safe.
void read_around_faults(std::string_view text, const std::vector<std::string>& lines, Reader& reader) {
  constexpr int kMostFaults = 20;
  std::string readable(text);
  for (int faults = 0; faults < kMostFaults; ++faults) {
    const toml::parse_result parsed = toml::parse(std::string_view(readable), std::string_view());
    if (parsed) return reader.read_document(parsed.table());
    const toml::parse_error& error = parsed.error();
    toml::source_region place = error.source();
    const std::size_t line = place.begin.line;
    const std::string line_text = line >= 1 && line <= lines.size() ? lines[line - 1] : std::string();
    const TomlFault fault = explain_toml_fault(error.description(), line_text, static_cast<int>(place.begin.column));
    place.begin.column = static_cast<toml::source_index>(fault.column);
    reader.refuse(place, fault.message);
    if (!fault.can_skip_line || !blank_line(readable, line)) return;
  }
}

}  // namespace

ReadOutcome read_policy(std::string_view text, std::string_view source) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  const std::vector<std::string> lines = split_lines(text);
  Reader reader(source, lines);
  if (const std::size_t at = find_invalid_utf8(text); at != std::string_view::npos) {
    reader.refuse(place_of(text, at), "not valid TOML: this byte is not UTF-8");
    return {{}, std::move(reader.mistakes)};
  }
  read_around_faults(text, lines, reader);
  std::stable_sort(reader.mistakes.begin(), reader.mistakes.end(), [](const Diagnostic& a, const Diagnostic& b) {
    return std::pair(a.origin.line, a.origin.column) < std::pair(b.origin.line, b.origin.column);
  });
  return {std::move(reader.policy), std::move(reader.mistakes)};
}

}  // namespace agentctl::policy
