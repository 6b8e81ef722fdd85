// SPDX-License-Identifier: Apache-2.0
// A machine written down: which paths are directories, files and links, and the HostFacts that looking at it would
// give. No system call: planning is tested for hosts that are not this one.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "bwrap/host_facts.h"
#include "policy/policy.h"

namespace agentctl::bwrap {

class SampleMachine {
 public:
  // Merged /usr, /etc with a few files, user "ada" (1000) with /home/ada and the project /home/ada/shop, `sh` as
  // command.
  static SampleMachine debian();

  SampleMachine& directory(const std::string& path);
  SampleMachine& file(const std::string& path);
  SampleMachine& socket(const std::string& path);
  SampleMachine& device(const std::string& path);
  SampleMachine& link(const std::string& path, const std::string& target);
  SampleMachine& remove(const std::string& path);

  [[nodiscard]] PathFact resolve(const std::string& path) const;
  [[nodiscard]] HostFacts facts(const policy::Policy& policy) const;

  uid_t uid = 1000;
  std::string user = "ada";
  std::string home = "/home/ada";
  std::string project = "/home/ada/shop";
  std::vector<std::string> command = {"sh"};
  std::string program = "/usr/bin/sh";
  std::vector<std::string> needs;
  std::map<std::string, std::string> environment;
  std::vector<std::string> user_programs;
  std::set<std::string> certificate_files;
  bool has_bind_fd = true;

 private:
  struct Node {
    PathKind kind = PathKind::absent;
    std::string target;  // of a link
  };
  std::map<std::string, Node> nodes_;
};

// Entries as a policy file would hold them, with "policy.toml:N:1" as their origins.
[[nodiscard]] policy::Entries entries(const std::vector<std::string>& texts);
[[nodiscard]] policy::Policy sample_policy();  // private home, shared network, TERM and LC_* passed

}  // namespace agentctl::bwrap
