// SPDX-License-Identifier: Apache-2.0
#include "manager/probe/grants.h"

#include <sys/stat.h>

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

void share_network(Grants& grants, bool closes_names) {
  grants.openings.insert(Opening::network);
  if (!closes_names) grants.openings.insert(Opening::abstract_sockets);
}

bool is_same_directory(const std::string& one, const std::string& other) {
  struct stat first {};
  struct stat second {};
  return ::stat(one.c_str(), &first) == 0 && ::stat(other.c_str(), &second) == 0 && first.st_dev == second.st_dev &&
         first.st_ino == second.st_ino;
}

std::string expand(const std::string& text, const std::string& home, const std::string& project) {
  if (text == "~") return home;
  if (text.starts_with("~/")) return cat(home, "/", text.substr(2));
  if (text.starts_with('/')) return text;
  return cat(project, "/", text.starts_with("./") ? text.substr(2) : text);
}

}  // namespace

Grants grants_of(const policy::Policy& policy, const std::string& home, const std::string& project, bool closes_names) {
  Grants grants;
  if (policy.network && policy.network->value == policy::NetworkMode::host) share_network(grants, closes_names);
  if (policy.allow.nested && policy.allow.nested->value) grants.openings.insert(Opening::nested);
  if (policy.terminal.filter && !policy.terminal.filter->value) grants.openings.insert(Opening::output);
  if (policy::home_mode(policy.files) == policy::HomeMode::read_only) grants.openings.insert(Opening::home);
  for (const policy::Entry& entry : policy.allow.sockets) add_named(entry.text, grants);
  for (const policy::Entry& entry : policy.allow.devices) add_named(entry.text, grants);
  for (const auto* list : {&policy.files.read_only, &policy.files.read_write, &policy.files.copy}) {
    for (const policy::Entry& entry : *list) grants.readable.push_back(expand(entry.text, home, project));
  }
  for (const policy::Entry& entry : policy.files.read_write)
    grants.writable.push_back(expand(entry.text, home, project));
  return grants;
}

Grants grants_of(const manager::Record& record, const std::string& home, bool closes_names) {
  Grants grants;
  if (record.network == "host") share_network(grants, closes_names);
  // The record does not tell it.
  if (is_same_directory(cat("/proc/", record.leader.pid, "/root", home), home)) grants.openings.insert(Opening::home);
  if (record.nested) grants.openings.insert(Opening::nested);
  for (const std::string& warning : record.warnings) {
    const std::size_t end = warning.find(" is let in");  // as each opening tells of itself (bwrap/opening.h)
    if (end != std::string::npos) add_named(std::string_view(warning).substr(0, end), grants);
  }
  grants.writable = record.writable;
  return grants;
}

}  // namespace agentctl::probe
