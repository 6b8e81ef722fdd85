// SPDX-License-Identifier: Apache-2.0
#include "policy/host_list.h"

#include <algorithm>
#include <unordered_set>

#include "base/text.h"
#include "policy/address_class.h"
#include "policy/entry.h"
#include "policy/host_rule.h"
#include "policy/host_sets.h"

namespace agentctl::policy {
namespace {

// The rule for more hosts than the one that an entry names, which stays when that is not there to be taken out.
const Entry* find_wider(const Entries& hosts, std::string_view entry) {
  const auto one = parse_deny_rule(without_mark(entry));
  if (!one) return nullptr;
  const auto* name = std::get_if<NamePattern>(&one->hosts);
  const auto* prefix = std::get_if<IpPrefix>(&one->hosts);
  const bool is_one = name != nullptr ? name->reach == NameReach::exact : prefix->is_single();
  if (!is_one) return nullptr;
  const Host host = name != nullptr ? Host(name->name) : Host(prefix->address);
  const auto found = std::find_if(hosts.begin(), hosts.end(), [&](const Entry& other) {
    const auto rule = parse_deny_rule(other.text);
    return rule && matches(*rule, host);
  });
  return found == hosts.end() ? nullptr : &*found;
}

void report_useless(const Entry& entry, const Entries& hosts, std::string_view list,
                    std::vector<Diagnostic>& mistakes) {
  std::string message = cat("'", printable(entry.text), "' takes nothing out of '", list, "'");
  if (const Entry* wider = find_wider(hosts, entry.text); wider != nullptr) {
    message += cat(": '", printable(wider->text), "' matches it, which can be taken out as a whole");
    if (list == "allow") message += "; or name the host in 'deny'";
  }
  mistakes.push_back({entry.origin, std::move(message), {}});
}

}  // namespace

std::string normal_host(std::string_view entry) {
  const std::string_view text = without_mark(entry);
  const auto rule = parse_deny_rule(text);
  return rule ? to_string(*rule) : std::string(text);
}

const Entry* find_host(const Entries& hosts, std::string_view entry) {
  const std::string wanted = normal_host(entry);
  const auto found =
      std::find_if(hosts.begin(), hosts.end(), [&](const Entry& known) { return normal_host(known.text) == wanted; });
  return found == hosts.end() ? nullptr : &*found;
}

namespace {

bool adds(const Entries& entries, std::string_view host) {
  return std::any_of(entries.begin(), entries.end(),
                     [&](const Entry& entry) { return !is_removal(entry.text) && normal_host(entry.text) == host; });
}

// Whoever reads the list takes it for closed, and only what earlier layers have can be taken out.
void report_contradiction(const Entry& entry, std::string_view list, std::vector<Diagnostic>& mistakes) {
  mistakes.push_back({entry.origin,
                      cat("'", printable(entry.text), "' takes nothing out of the '", list,
                          "' in which it stands, but only of earlier layers; name the host in 'deny'"),
                      {}});
}

}  // namespace

void merge_hosts(Entries& hosts, const Entries& later, std::string_view list, std::vector<Diagnostic>& mistakes) {
  // Hosts come with the profiles of agents: a policy of the user's is for commands without one, too.
  const bool had_some = !hosts.empty();
  for (const Entry& entry : later) {
    if (!is_removal(entry.text)) continue;
    if (entry.text == kNoneBefore) {
      hosts.clear();
      continue;
    }
    const std::string taken = normal_host(entry.text);
    const auto is_taken = [&](const Entry& known) { return normal_host(known.text) == taken; };
    const bool was_there = std::erase_if(hosts, is_taken) > 0;
    if (adds(later, taken)) {
      report_contradiction(entry, list, mistakes);
    } else if (!was_there && had_some && !(is_in_host_set(taken) && find_wider(hosts, entry.text) == nullptr)) {
      report_useless(entry, hosts, list, mistakes);  // one of a set is not in every profile
    }
  }
  if (later.empty()) return;
  std::unordered_set<std::string> present;
  for (const Entry& entry : hosts) present.insert(normal_host(entry.text));
  for (const Entry& entry : later) {
    if (!is_removal(entry.text) && present.insert(normal_host(entry.text)).second) hosts.push_back(entry);
  }
}

Entries all_allowed(const HostSettings& hosts) {
  Entries all = hosts.allow;
  std::vector<Diagnostic> ignored;
  merge_hosts(all, hosts.commands, "allow", ignored);
  return all;
}

const Entry* find_opened_beyond_nat(const Entries& allow) {
  const auto found = std::find_if(allow.begin(), allow.end(), [](const Entry& entry) {
    const auto rule = parse_deny_rule(entry.text);
    const auto* prefix = rule ? std::get_if<IpPrefix>(&rule->hosts) : nullptr;
    return prefix != nullptr && (!prefix->is_single() || openness(prefix->address) != Openness::open);
  });
  return found == allow.end() ? nullptr : &*found;
}

}  // namespace agentctl::policy
