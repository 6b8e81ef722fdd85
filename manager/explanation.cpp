// SPDX-License-Identifier: Apache-2.0
#include "manager/explanation.h"

#include <algorithm>

#include "base/json.h"
#include "base/text.h"
#include "egress/access_list.h"
#include "policy/address_class.h"
#include "policy/host.h"
#include "policy/host_list.h"
#include "policy/host_rule.h"

namespace agentctl::manager {
namespace {

constexpr std::size_t kWidestValue = 40;

std::string line(std::string_view name, std::string_view value) {
  constexpr std::size_t kWidth = 12;
  return cat(name, std::string(kWidth - std::min(kWidth - 1, name.size()), ' '), value, "\n");
}

std::string padded(const std::string& text, std::size_t width) {
  return text.size() < width ? text + std::string(width - text.size(), ' ') : text;
}

bool is_of_host(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view(".-:[]*").find(c) != std::string_view::npos;
}

std::string path_object(const ExplainedPath& explained) {
  const bwrap::PathAnswer& answer = explained.answer;
  return JsonObject()
      .text("path", explained.path)
      .text("inside", bwrap::to_string(answer.visibility))
      .text("end", answer.end)
      .list("links", answer.links)
      .text("rule", answer.rule)
      .text("why", answer.why)
      .list("notes", explained.remarks)
      .boolean("readable", answer.readable)
      .boolean("writable", answer.writable)
      .str();
}

}  // namespace

std::string policy_text(const ExplainedStart& start, const std::vector<policy::Rule>& rules) {
  std::string text = line("profile", printable(start.profile)) + line("project", printable(start.project)) +
                     line("command", shell_quote(start.command));
  for (const std::string& warning : start.warnings) text += line("warning", printable(warning));
  std::size_t key_width = 0;
  std::size_t value_width = 0;
  for (const policy::Rule& rule : rules) {
    key_width = std::max(key_width, rule.key.size());
    value_width = std::max(value_width, std::min(printable(rule.value).size(), kWidestValue));
  }
  std::string table;
  for (const policy::Rule& rule : rules) {
    if (rule.table != table) text += cat("\n[", rule.table, "]\n");
    table = rule.table;
    text += cat(padded(rule.key, key_width), "  ", padded(printable(rule.value), value_width), "  ",
                printable(policy::to_string(rule.origin)), "\n");
  }
  return text;
}

std::string policy_json(const ExplainedStart& start, const std::vector<policy::Rule>& rules) {
  std::vector<std::string> objects;
  for (const policy::Rule& rule : rules) {
    objects.push_back(JsonObject()
                          .text("table", rule.table)
                          .text("key", rule.key)
                          .text("value", rule.value)
                          .text("origin", policy::to_string(rule.origin))
                          .str());
  }
  return JsonObject()
             .text("profile", start.profile)
             .text("project", start.project)
             .list("command", start.command)
             .raw("rules", cat("[", join(objects, ",\n "), "]"))
             .list("warnings", start.warnings)
             .str() +
         "\n";
}

std::string path_text(const ExplainedPath& explained) {
  const bwrap::PathAnswer& answer = explained.answer;
  std::string text = line("path", printable(explained.path)) + line("inside", bwrap::to_string(answer.visibility));
  for (const std::string& link : answer.links) text += line("link", printable(link));
  if (!answer.links.empty()) text += line("leads to", printable(answer.end));
  text += line("rule", printable(answer.rule));
  if (!answer.why.empty()) text += line("why", printable(answer.why));
  for (const std::string& remark : explained.remarks) text += line("note", printable(remark));
  return text;
}

std::string path_json(const ExplainedPath& explained) { return path_object(explained) + "\n"; }

namespace {

std::string describe(policy::NetworkMode mode) {
  switch (mode) {
    case policy::NetworkMode::host:
      return "the session shares the network of this machine: it reaches what this machine reaches";
    case policy::NetworkMode::nat:
      return "the session reaches the public internet; where the name leads to this machine or a network around it, or "
             "to "
             "a private address, it is closed";
    case policy::NetworkMode::allowlist:
      return "the session reaches the hosts that [network] allows";
    case policy::NetworkMode::none:
      return "the session has no network but its own loopback";
  }
  return {};
}

// What a name leads to is not asked for here.
bool is_closed_by_nat(const std::string& subject) {
  const std::string name = subject.substr(0, subject.find(':'));
  if (name == "localhost" || name.ends_with(".localhost")) return true;
  const auto bare = policy::parse_ipv6(subject);
  const auto named = policy::parse_host_and_port(subject);
  const auto* address = bare ? &*bare : named ? std::get_if<policy::IpAddress>(&named->host) : nullptr;
  return address != nullptr && policy::openness(*address) != policy::Openness::open;
}

std::string mode_origin(const policy::Policy& policy) {
  return policy.network ? policy::to_string(policy.network->origin) : "built-in default";
}

// "::1" stands here without its brackets.
Result<policy::HostAndPort> read_host(const std::string& subject) {
  if (const auto bare = policy::parse_ipv6(subject)) return policy::HostAndPort{policy::Host(*bare), std::nullopt};
  return policy::parse_host_and_port(subject);
}

bool is_loopback(const policy::Host& host) {
  if (const auto* name = std::get_if<policy::HostName>(&host)) return policy::is_localhost(*name);
  return policy::classify(std::get<policy::IpAddress>(host)) == policy::AddressClass::loopback;
}

std::string remark_on(const egress::AccessRule& rule) {
  const std::string opened = policy::remark(rule.rule);
  return opened.empty() ? std::string() : cat("; the rule allows ", opened);
}

// What a name leads to is asked for when a program connects, and again decided then.
HostAnswer explain_by_rules(const policy::Policy& policy, const std::string& subject) {
  constexpr std::uint16_t kHttps = 443;
  HostAnswer answer{false, mode_origin(policy), {}};
  const auto asked = read_host(subject);
  const auto rules = egress::AccessList::from(policy::all_allowed(policy.hosts), policy.hosts.deny);
  if (!asked || !rules) {
    answer.why = cat("no rule allows what is no host: it ", asked ? rules.error().message : asked.error().message);
    return answer;
  }
  if (is_loopback(asked->host)) {
    for (const policy::Entry& opened : policy.hosts.host_ports) {
      if (!asked->port || opened.text != cat(*asked->port)) continue;
      answer = {true, cat("'", opened.text, "' (", policy::to_string(opened.origin), ")"),
                "host-ports opens this machine's own"};
      return answer;
    }
    answer.why = "the loopback is the session's own";
    return answer;
  }
  const std::uint16_t port = asked->port.value_or(kHttps);
  const egress::Verdict verdict = rules->judge(asked->host, port);
  if (verdict.rule) answer.rule = egress::to_string(*verdict.rule);
  switch (verdict.kind) {
    case egress::Verdict::Kind::allowed:
      answer.reachable = true;
      answer.why = cat("that rule allows it, on port ", port, remark_on(*verdict.rule));
      break;
    case egress::Verdict::Kind::denied:
      answer.why = cat("that rule denies it, on port ", port);
      break;
    case egress::Verdict::Kind::other_port:
      answer.why = cat("that rule allows it on ",
                       verdict.rule->rule.port ? cat("port ", *verdict.rule->rule.port) : "the ports 80 and 443",
                       " alone, and not on ", port);
      break;
    case egress::Verdict::Kind::no_rule:
      answer.why = "the network mode is \"allowlist\", and no rule allows it";
      break;
  }
  return answer;
}

}  // namespace

HostAnswer explain_host(const policy::Policy& policy, const std::string& host) {
  if (policy::network_mode(policy) == policy::NetworkMode::allowlist) return explain_by_rules(policy, host);
  HostAnswer answer;
  answer.rule = mode_origin(policy);
  const policy::NetworkMode mode = policy::network_mode(policy);
  answer.reachable = mode == policy::NetworkMode::host || (mode == policy::NetworkMode::nat && !is_closed_by_nat(host));
  answer.why = describe(mode);
  return answer;
}

std::string host_text(const std::string& host, const HostAnswer& answer, const std::optional<ExplainedPath>& as_path) {
  std::string text = line("host", printable(host)) + line("inside", answer.reachable ? "reachable" : "not reachable") +
                     line("rule", printable(answer.rule)) + line("why", answer.why);
  if (!as_path) return text;
  const bwrap::PathAnswer& path = as_path->answer;
  return text + line("or a path", cat("'", printable(as_path->path), "' is ", bwrap::to_string(path.visibility),
                                      path.why.empty() ? "" : ": ", printable(path.why)));
}

std::string host_json(const std::string& host, const HostAnswer& answer, const std::optional<ExplainedPath>& as_path) {
  return JsonObject()
             .text("host", host)
             .boolean("reachable", answer.reachable)
             .text("rule", answer.rule)
             .text("why", answer.why)
             .raw("or_path", as_path ? path_object(*as_path) : "null")
             .str() +
         "\n";
}

SubjectKind kind_of(const std::string& subject) {
  if (subject == "localhost") return SubjectKind::host;
  const bool looks_like_path = subject.empty() || subject.starts_with('~') || subject.starts_with('.') ||
                               !std::all_of(subject.begin(), subject.end(), is_of_host) ||
                               subject.find_first_of(".:") == std::string::npos;
  if (looks_like_path) return SubjectKind::path;
  const bool is_address = subject.find_first_not_of("0123456789.") == std::string::npos;
  return is_address || subject.find_first_of(":[]*") != std::string::npos ? SubjectKind::host : SubjectKind::either;
}

}  // namespace agentctl::manager
