// SPDX-License-Identifier: Apache-2.0
#include "bwrap/host_facts.h"

#include <unistd.h>

#include "base/text.h"
#include "bwrap/bwrap_binary.h"
#include "bwrap/command_lookup.h"
#include "bwrap/path_resolution.h"

namespace agentctl::bwrap {

std::string expand_path(const std::string& text, const std::string& home, const std::string& project) {
  for (const std::string& name : {std::string("~"), std::string("$HOME"), std::string("${HOME}")}) {
    if (text == name || text.starts_with(name + "/")) return normalize_path(cat(home, "/", text.substr(name.size())));
  }
  return text.starts_with('/') ? normalize_path(text) : normalize_path(cat(project, "/", text));
}

Result<HostFacts> gather_host_facts(const FactsRequest& request) {
  HostFacts facts;
  facts.uid = ::getuid();
  facts.gid = ::getgid();
  PathResolver resolver;
  facts.bwrap = AGENTCTL_TRY(find_bwrap(bwrap_directories()));
  CommandRequest command;
  command.words = request.command;
  command.search_path = "/usr/bin:/bin";
  facts.command = AGENTCTL_TRY(look_up_command(command, resolver));
  return facts;
}

}  // namespace agentctl::bwrap
