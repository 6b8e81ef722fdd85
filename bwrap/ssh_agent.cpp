// SPDX-License-Identifier: Apache-2.0
// ssh-agent(1): the socket that SSH_AUTH_SOCK names, and what ssh reads beside it that is no key: known_hosts and the
// user's config. Keys stay outside; the agent signs with them. Where config is shown, so are the names of hosts in it.
#include "base/text.h"
#include "bwrap/opening.h"
#include "bwrap/path_resolution.h"
#include "bwrap/system_layout.h"

namespace agentctl::bwrap {
namespace {

constexpr const char* kName = "ssh-agent";
constexpr const char* kVariable = "SSH_AUTH_SOCK";
constexpr const char* kSystemHosts = "/etc/ssh/ssh_known_hosts";

std::vector<std::string> shown_files(const HostFacts& facts) {
  const std::string directory = join_path(facts.home.path.str(), ".ssh");
  return {directory + "/known_hosts", directory + "/known_hosts2", directory + "/config", kSystemHosts};
}

std::vector<std::string> paths(const HostFacts& facts) {
  std::vector<std::string> all = shown_files(facts);
  const std::string socket = caller_variable(facts, kVariable);
  if (socket.starts_with('/')) all.push_back(socket);
  return all;
}

Result<void> open(const HostFacts& facts, Layout& layout, Opened& opened) {
  const std::string named = caller_variable(facts, kVariable);
  const PathFact* socket = AGENTCTL_TRY(find_socket(facts, kName, kVariable, named, opened));
  if (socket == nullptr) return {};
  const std::string place = runtime_directory(facts.uid) + "/ssh-agent.sock";
  layout.want(socket_want(*socket, place, kName));
  opened.variables[kVariable] = place;
  for (const std::string& name : shown_files(facts)) {
    const PathFact& file = *AGENTCTL_TRY(find_fact(facts, name));
    if (file.kind != PathKind::file) continue;
    layout.want_links(file, kName);
    layout.want(bind_want(file, Access::read_only, Rank::built_in, cat("[allow] ", kName)));
  }
  opened.warnings.emplace_back(
      "ssh-agent is let in: the session can log in and sign as you with every key in it, as long as it runs");
  return {};
}

}  // namespace

Opening ssh_agent_opening() { return {kName, paths, open}; }

}  // namespace agentctl::bwrap
