// SPDX-License-Identifier: Apache-2.0
#include "manager/probe/grants.h"

#include <string_view>

#include "base/text.h"

namespace agentctl::probe {
namespace {

struct NamedOpening {
  std::string_view name;
  Opening opening;
};
constexpr NamedOpening kNamed[] = {{"ssh-agent", Opening::ssh_agent},
                                   {"gpg-agent", Opening::gpg_agent},
                                   {"wayland", Opening::wayland},
                                   {"gpu", Opening::graphics},
                                   {"kvm", Opening::virtual_machines}};

void add_named(std::string_view text, Grants& grants) {
  for (const auto& [name, opening] : kNamed) {
    if (text == name) grants.openings.insert(opening);
  }
}

void share_network(Grants& grants) {
  grants.openings.insert(Opening::network);
  grants.openings.insert(Opening::abstract_sockets);
}

std::string expand(const std::string& text, const std::string& home, const std::string& project) {
  if (text == "~") return home;
  if (text.starts_with("~/")) return cat(home, "/", text.substr(2));
  if (text.starts_with('/')) return text;
  return cat(project, "/", text.starts_with("./") ? text.substr(2) : text);
}

}  // namespace

Grants grants_of(const policy::Policy& policy, const std::string& home, const std::string& project) {
  Grants grants;
  if (policy.network && policy.network->value == policy::NetworkMode::host) share_network(grants);
  if (policy.allow.nested && policy.allow.nested->value) grants.openings.insert(Opening::nested);
  if (policy.terminal.filter && !policy.terminal.filter->value) grants.openings.insert(Opening::output);
  for (const policy::Entry& entry : policy.allow.sockets) add_named(entry.text, grants);
  for (const policy::Entry& entry : policy.allow.devices) add_named(entry.text, grants);
  for (const auto* list : {&policy.files.read_only, &policy.files.read_write, &policy.files.copy}) {
    for (const policy::Entry& entry : *list) grants.readable.push_back(expand(entry.text, home, project));
  }
  for (const policy::Entry& entry : policy.files.read_write)
    grants.writable.push_back(expand(entry.text, home, project));
  return grants;
}

Grants grants_of(const manager::Record& record) {
  Grants grants;
  if (record.network == "host") share_network(grants);
  if (record.nested) grants.openings.insert(Opening::nested);
  for (const std::string& warning : record.warnings) {
    const std::size_t end = warning.find(" is let in");  // as each opening tells of itself (bwrap/opening.h)
    if (end != std::string::npos) add_named(std::string_view(warning).substr(0, end), grants);
  }
  grants.writable = record.writable;
  return grants;
}

}  // namespace agentctl::probe
