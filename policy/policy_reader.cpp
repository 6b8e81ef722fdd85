// SPDX-License-Identifier: Apache-2.0
#include "policy/policy_reader.h"

#include "policy/toml_node.h"  // before what includes <cassert>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "policy/autostart.h"
#include "policy/budget.h"
#include "policy/choice.h"
#include "policy/entry.h"
#include "policy/file_lists.h"
#include "policy/host_rule.h"
#include "policy/host_sets.h"
#include "policy/limit_setting.h"
#include "policy/nearest_name.h"
#include "policy/opening_name.h"
#include "policy/publication.h"
#include "policy/toml_fault.h"
#include "policy/utf8.h"

namespace agentctl::policy {
namespace {

using Names = std::span<const std::string_view>;

constexpr std::array<std::string_view, 9> kTables = {"agent", "limits",   "files",  "env",      "network",
                                                     "allow", "terminal", "budget", "autostart"};
constexpr std::array<std::string_view, 1> kAgentKeys = {"command"};
constexpr std::array<std::string_view, 7> kFilesKeys = {"home", "read-only", "read-write", "copy",
                                                        "hide", "protect",   "optional"};
constexpr std::array<std::string_view, 2> kEnvKeys = {"pass", "set"};
constexpr std::array<std::string_view, 3> kAllowKeys = {"sockets", "devices", "nested"};
constexpr std::array<std::string_view, 1> kTerminalKeys = {"filter"};
constexpr std::array<std::string_view, 6> kNetworkKeys = {"mode", "allow", "deny", "publish", "commands", "host-ports"};

bool contains(Names names, std::string_view name) { return std::find(names.begin(), names.end(), name) != names.end(); }

// Walks one parsed document. Lives for one read_policy().
class Reader {
 public:
  Reader(std::string_view source, const std::vector<std::string>& lines) : source_(source), lines_(lines) {}

  void read_document(const toml::table& document) {
    for (const auto& [key, node] : document) {
      if (!contains(kTables, key.str())) {
        refuse_stray(key, node);
      } else if (key.str() == "autostart") {
        read_autostarts(key, node);
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
  std::vector<Autostart> autostart;
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
      const bool is_list = table == "autostart";
      return refuse(key.source(),
                    cat("'", name, "' must stand below '", is_list ? "[[" : "[", table, is_list ? "]]'" : "]'"));
    }
    refuse(key.source(), cat("unknown key '", name, "' outside of any table"));
  }

  [[nodiscard]] static Names keys_of(std::string_view table) {
    if (table == "agent") return kAgentKeys;
    if (table == "limits") return limit_keys();
    if (table == "budget") return budget_keys();
    if (table == "files") return kFilesKeys;
    if (table == "env") return kEnvKeys;
    if (table == "allow") return kAllowKeys;
    if (table == "terminal") return kTerminalKeys;
    if (table == "autostart") return autostart_keys();
    return kNetworkKeys;
  }

  void read_table(std::string_view table, const toml::table& keys) {
    for (const auto& [key, node] : keys) {
      const std::string_view name = key.str();
      if (!contains(keys_of(table), name)) {
        refuse(key.source(),
               cat("unknown key '", printable(name), "' in [", table, "]", did_you_mean(name, keys_of(table))));
      } else if (table == "agent") {
        read_command(node);
      } else if (table == "limits") {
        read_limit(name, node, policy.limits);
      } else if (table == "budget") {
        read_limit(name, node, policy.budget);
      } else if (table == "files") {
        read_files_key(name, node);
      } else if (table == "env") {
        read_env_key(name, node);
      } else if (table == "allow") {
        read_allow_key(name, node);
      } else if (table == "terminal") {
        read_flag(name, node, policy.terminal.filter);
      } else {
        read_network_key(name, node);
      }
    }
  }

  void read_autostarts(const toml::key& key, const toml::node& node) {
    constexpr std::string_view kWanted = "'autostart' must be tables that each begin with '[[autostart]]'; got ";
    const toml::array* entries = node.as_array();
    if (entries == nullptr) return refuse(key.source(), cat(kWanted, describe(node)));
    for (const toml::node& entry : *entries) {
      const toml::table* keys = entry.as_table();
      if (keys == nullptr) {
        refuse(entry.source(), cat(kWanted, describe(entry)));
      } else {
        read_autostart(*keys);
      }
    }
  }

  void read_autostart(const toml::table& keys) {
    Autostart entry{.project = {}, .profile = {}, .name = {}, .origin = origin_of(keys.source())};
    const std::size_t before = mistakes.size();
    for (const auto& [key, node] : keys) {
      const std::string_view name = key.str();
      const auto* text = node.as_string();
      if (!contains(autostart_keys(), name)) {
        const std::string hint = did_you_mean(name, autostart_keys());
        refuse(key.source(), cat("unknown key '", printable(name), "' in [[autostart]]", hint));
      } else if (text == nullptr) {
        refuse(node.source(), cat("'", name, "' must be text in quotes; got ", describe(node)));
      } else if (auto assigned = assign_autostart(entry, name, text->get()); !assigned) {
        refuse(node.source(), std::move(assigned.error().message));
      }
    }
    if (!keys.contains("project"))
      refuse(keys.source(), "[[autostart]] must name a 'project', the directory to start in");
    if (mistakes.size() != before) return;
    if (const Autostart* same = find_same(autostart, entry); same != nullptr)
      return refuse(keys.source(), entry.name.empty() ? cat("the same session stands in line ", same->origin.line)
                                                      : cat("the name '", printable(entry.name), "' stands in line ",
                                                            same->origin.line));
    autostart.push_back(std::move(entry));
  }

  void read_env_key(std::string_view name, const toml::node& node) {
    if (name == "set") return read_env_set(node);
    read_entries(name, node, policy.env.pass, check_pass_entry);
  }

  void read_allow_key(std::string_view name, const toml::node& node) {
    if (name == "sockets") return read_entries(name, node, policy.allow.sockets, check_socket_name);
    if (name == "devices") return read_entries(name, node, policy.allow.devices, check_device_name);
    read_flag(name, node, policy.allow.nested);
  }

  void read_network_key(std::string_view name, const toml::node& node) {
    if (name == "allow") return read_hosts(name, node, policy.hosts.allow, check_allow_entry);
    if (name == "deny") return read_hosts(name, node, policy.hosts.deny, check_deny_entry);
    if (name == "commands") return read_commands(node);
    if (name == "publish") return read_entries(name, node, policy.hosts.publish, check_publish_entry, Items::ports);
    if (name == "host-ports") return read_entries(name, node, policy.hosts.host_ports, check_port_entry, Items::ports);
    read_choice(name, node, policy.network, parse_network_mode);
  }

  void read_hosts(std::string_view name, const toml::node& node, Entries& hosts,
                  Result<void> (*check)(std::string_view)) {
    Entries entries;
    read_entries(name, node, entries, check);
    for (const Entry& entry : entries) {
      for (std::string& host : opened_host_set(entry.text)) hosts.push_back({std::move(host), entry.origin});
    }
  }

  void read_commands(const toml::node& node) {
    const toml::table* keys = node.as_table();
    if (keys == nullptr) {
      return refuse(node.source(), cat("'commands' must be a table, as in [network.commands]; got ", describe(node)));
    }
    for (const auto& [key, value] : *keys) {
      if (key.str() == "allow") {
        read_hosts("allow", value, policy.hosts.commands, check_allow_entry);
      } else {
        refuse(key.source(), cat("unknown key '", printable(key.str()), "' in [network.commands]"));
      }
    }
  }

  void read_flag(std::string_view name, const toml::node& node, std::optional<Setting<bool>>& setting) {
    const auto* wanted = node.as_boolean();
    if (wanted == nullptr)
      return refuse(node.source(), cat("'", name, "' must be true or false; got ", describe(node)));
    setting = Setting<bool>{wanted->get(), origin_of(node.source())};
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

  void read_limit(std::string_view name, const toml::node& node, LimitSettings& limits) {
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
    auto assigned = assign_limit(limits, name, text, origin_of(node.source()));
    if (!assigned) refuse(node.source(), std::move(assigned.error().message));
  }

  void read_files_key(std::string_view name, const toml::node& node) {
    if (name == "home") return read_choice(name, node, policy.files.home, parse_home_mode);
    for (const FileList& list : kFileLists) {
      if (list.name != name) continue;
      const Globs globs = list.has_globs ? Globs::allowed : Globs::refused;
      read_entries(name, node, policy.files.*list.entries,
                   [globs](std::string_view entry) { return check_path_entry(entry, globs); });
    }
  }

  enum class Items { text, ports };  // ports may be numbers, too

  template <typename Check>
  void read_entries(std::string_view name, const toml::node& node, Entries& list, Check check,
                    Items kind = Items::text) {
    const toml::array* items = node.as_array();
    if (items == nullptr) {
      return refuse(node.source(), cat("'", name, "' must be a list, as in ",
                                       kind == Items::text ? "[\"…\"]" : "[3000]", "; got ", describe(node)));
    }
    for (const toml::node& item : *items) {
      const auto* text = item.as_string();
      const auto* number = kind == Items::ports ? item.as_integer() : nullptr;
      if (text == nullptr && number == nullptr) {
        refuse(item.source(), cat("an entry of '", name, "' must be ",
                                  kind == Items::text ? "text in quotes" : "a port", "; got ", describe(item)));
        continue;
      }
      const std::string entry = text != nullptr ? text->get() : std::to_string(number->get());
      if (auto checked = check(std::string_view(entry)); !checked) {
        refuse(item.source(), cat("'", printable(entry), "' in '", name, "' ", checked.error().message));
      } else {
        list.push_back({entry, origin_of(item.source())});
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

  // A key with a fixed set of words.
  template <typename T>
  void read_choice(std::string_view name, const toml::node& node, std::optional<Setting<T>>& setting,
                   Result<T> (*parse)(std::string_view word)) {
    const auto* text = node.as_string();
    const Result<T> word = parse(text == nullptr ? std::string_view() : std::string_view(text->get()));
    if (word) {
      setting = Setting<T>{*word, origin_of(node.source())};
    } else if (text != nullptr) {
      refuse(node.source(), cat("'", name, "' ", word.error().message));
    } else {
      const std::string& message = word.error().message;
      refuse(node.source(), cat("'", name, "' ", message.substr(0, message.find("; got")), "; got ", describe(node)));
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
    toml::source_region place = parsed.error().source();
    const std::size_t line = place.begin.line;
    const std::string line_text = line >= 1 && line <= lines.size() ? lines[line - 1] : std::string();
    const TomlFault fault =
        explain_toml_fault(parsed.error().description(), line_text, static_cast<int>(place.begin.column));
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
  // The parser would tell this place only roughly.
  if (const std::size_t at = find_invalid_utf8(text); at != std::string_view::npos) {
    reader.refuse(place_of(text, at), "not valid TOML: this byte is not UTF-8");
    return {{}, {}, std::move(reader.mistakes)};
  }
  read_around_faults(text, lines, reader);
  std::stable_sort(reader.mistakes.begin(), reader.mistakes.end(), [](const Diagnostic& a, const Diagnostic& b) {
    return std::pair(a.origin.line, a.origin.column) < std::pair(b.origin.line, b.origin.column);
  });
  return {std::move(reader.policy), std::move(reader.autostart), std::move(reader.mistakes)};
}

}  // namespace agentctl::policy
