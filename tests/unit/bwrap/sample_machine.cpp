// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/bwrap/sample_machine.h"

#include <utility>

#include "base/text.h"
#include "bwrap/environment_files.h"
#include "bwrap/file_rules.h"
#include "bwrap/glob_lookup.h"
#include "bwrap/home_layout.h"
#include "bwrap/opening.h"
#include "bwrap/path_resolution.h"
#include "bwrap/search_path.h"
#include "bwrap/system_layout.h"

namespace agentctl::bwrap {

SampleMachine SampleMachine::debian() {
  SampleMachine machine;
  for (const char* directory : {"/usr/bin", "/usr/sbin", "/usr/lib", "/usr/lib64", "/usr/local/bin", "/opt", "/tmp",
                                "/var/tmp", "/run", "/etc/ssl/certs", "/etc/alternatives", "/home/ada/shop"}) {
    machine.directory(directory);
  }
  for (const char* name : {"bin", "sbin", "lib", "lib64"}) machine.link(cat("/", name), cat("usr/", name));
  for (const char* file : {"/etc/passwd", "/etc/group", "/etc/hosts", "/etc/nsswitch.conf", "/etc/resolv.conf",
                           "/usr/share/zoneinfo/Etc/UTC", "/usr/bin/dash"}) {
    machine.file(file);
  }
  machine.link("/etc/localtime", "/usr/share/zoneinfo/Etc/UTC").link("/usr/bin/sh", "dash");
  machine.environment = {{"HOME", "/home/ada"},      {"PATH", "/usr/local/bin:/usr/bin:/bin"},
                         {"SHELL", "/bin/sh"},       {"TERM", "xterm-256color"},
                         {"LC_TIME", "de_DE.UTF-8"}, {"API_TOKEN", "not-for-the-agent"}};
  return machine;
}

SampleMachine& SampleMachine::directory(const std::string& path) {
  for (std::string at = path; at != "/"; at = parent_path(at)) nodes_.try_emplace(at, Node{PathKind::directory, {}});
  return *this;
}

SampleMachine& SampleMachine::file(const std::string& path) {
  directory(parent_path(path));
  nodes_[path] = Node{PathKind::file, {}};
  return *this;
}

SampleMachine& SampleMachine::socket(const std::string& path) {
  directory(parent_path(path));
  nodes_[path] = Node{PathKind::socket, {}};
  return *this;
}

SampleMachine& SampleMachine::device(const std::string& path) {
  directory(parent_path(path));
  nodes_[path] = Node{PathKind::other, {}};
  return *this;
}

SampleMachine& SampleMachine::link(const std::string& path, const std::string& target) {
  directory(parent_path(path));
  nodes_[path] = Node{PathKind::other, target};
  return *this;
}

SampleMachine& SampleMachine::remove(const std::string& path) {
  nodes_.erase(path);
  return *this;
}

PathFact SampleMachine::resolve(const std::string& path) const {
  PathFact fact;
  fact.path = HostPath(path);
  std::string at = path;
  for (bool again = true; again;) {
    again = false;
    for (std::size_t end = at.find('/', 1);; end = at.find('/', end + 1)) {
      const std::string prefix = at.substr(0, end);
      const auto node = nodes_.find(prefix);
      if (node == nodes_.end()) {
        fact.missing = HostPath(at);
        fact.present = HostPath(parent_path(prefix));
        return fact;
      }
      if (!node->second.target.empty()) {
        fact.links.push_back(
            Link{HostPath(prefix), node->second.target, end == std::string::npos ? std::string() : at.substr(end + 1)});
        const bool absolute = node->second.target.starts_with('/');
        const std::string target = absolute ? node->second.target : join_path(parent_path(prefix), node->second.target);
        at = normalize_path(end == std::string::npos ? target : target + at.substr(end));
        again = true;
        break;
      }
      if (end == std::string::npos) {
        fact.kind = node->second.kind;
        break;
      }
    }
  }
  fact.canonical = HostPath(at);
  return fact;
}

HostFacts SampleMachine::facts(const policy::Policy& policy) const {
  HostFacts facts;
  facts.uid = uid;
  facts.gid = uid;
  facts.user = user;
  facts.home = resolve(home);
  const PathFact held = resolve(project);
  facts.project = ProjectFact{held.path, held.canonical};
  facts.bwrap = BwrapFact{HostPath("/usr/bin/bwrap"), "0.8.0", has_bind_fd};
  facts.command.words = command;
  facts.command.program = resolve(program);
  for (const std::string& need : needs) facts.command.needs.push_back(resolve(need));
  facts.machine = policy::MachineSize{16ULL << 30, 8};
  facts.has_landlock_scopes = true;
  for (const std::string& name : root_entry_names()) facts.root_entries.push_back(resolve(name));
  facts.environment = environment;
  facts.config_dir = home + "/.config/agentctl";
  facts.state_dir = home + "/.local/state/agentctl";
  std::vector<std::string> names = system_path_names();
  for (std::string& name : named_paths(policy.files, home, held.canonical.str())) names.push_back(std::move(name));
  for (std::string& name : opening_paths(policy.allow, facts)) names.push_back(std::move(name));
  for (std::string& name : search_directories(environment)) names.push_back(std::move(name));
  for (std::string& name : home_path_names(home)) names.push_back(std::move(name));
  for (std::string& name : environment_paths(environment)) names.push_back(std::move(name));
  facts.user_programs = user_programs;
  facts.certificate_files = certificate_files;
  names.insert(names.end(), user_programs.begin(), user_programs.end());
  for (const std::string& name : {project, facts.config_dir, facts.state_dir}) names.push_back(name);
  if (environment.contains("SHELL")) names.push_back(environment.at("SHELL"));
  for (const std::string& name : names) facts.paths.try_emplace(name, resolve(name));
  for (const std::string& name : search_path_names(facts)) facts.paths.try_emplace(name, resolve(name));
  for (const policy::Entry& entry : policy.files.hide) {
    if (has_glob(entry.text)) facts.globs.try_emplace(entry.text);  // that match nothing
  }
  return facts;
}

policy::Entries entries(const std::vector<std::string>& texts) {
  policy::Entries list;
  for (const std::string& text : texts) {
    list.push_back(policy::Entry{text, policy::Origin{"policy.toml", static_cast<int>(list.size()) + 1, 1}});
  }
  return list;
}

policy::Policy sample_policy() {
  policy::Policy policy;
  policy.env.pass = entries({"TERM", "LC_*"});
  policy.network = policy::Setting<policy::NetworkMode>{policy::NetworkMode::host, {"built-in default", 0, 0}};
  return policy;
}

}  // namespace agentctl::bwrap
