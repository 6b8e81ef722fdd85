// SPDX-License-Identifier: Apache-2.0
#include "bwrap/opening.h"

#include <utility>

#include "base/text.h"
#include "bwrap/system_layout.h"

namespace agentctl::bwrap {
namespace {

std::vector<Opening> wanted_openings(const policy::AllowSettings& allow) {
  std::vector<Opening> wanted;
  const auto add = [&](const policy::Entries& names, const std::vector<Opening>& known) {
    for (const policy::Entry& entry : names) {
      for (const Opening& opening : known) {
        if (opening.name == entry.text) wanted.push_back(opening);
      }
    }
  };
  if (!allow.sockets.empty()) add(allow.sockets, {ssh_agent_opening(), gpg_agent_opening(), wayland_opening()});
  if (!allow.devices.empty()) add(allow.devices, {gpu_opening(), kvm_opening()});
  return wanted;
}

// Where sessions write, an agent may have left a socket of its own, or may replace the one that is there.
Result<void> check_place(const HostPath& socket, const policy::FileSettings& files, const HostFacts& facts) {
  const auto refuse = [&](std::string_view where) {
    return make_error(ErrorKind::policy, cat("cannot let in the socket '", printable(socket.str()), "': it lies in ",
                                             where, ", where an agent may replace it"));
  };
  if (starts_with_path(socket.str(), facts.project.canonical.str())) return refuse("the project");
  for (const policy::Entry& entry : files.read_write) {
    const std::string name = expand_path(entry.text, facts.home.path.str(), facts.project.canonical.str());
    const auto fact = facts.paths.find(name);
    const bool is_there = fact != facts.paths.end() && fact->second.kind != PathKind::absent;
    if (is_there && starts_with_path(socket.str(), fact->second.canonical.str())) {
      return refuse(cat("'", printable(entry.text), "', which is read-write"));
    }
  }
  return {};
}

}  // namespace

std::vector<std::string> opening_paths(const policy::AllowSettings& allow, const HostFacts& facts) {
  std::vector<std::string> paths;
  for (const Opening& opening : wanted_openings(allow)) {
    std::vector<std::string> more = opening.paths(facts);
    std::move(more.begin(), more.end(), std::back_inserter(paths));
  }
  return paths;
}

Result<Opened> add_openings(const policy::Policy& policy, const HostFacts& facts, Layout& layout) {
  Opened opened;
  for (const Opening& opening : wanted_openings(policy.allow)) AGENTCTL_TRY_VOID(opening.open(facts, layout, opened));
  for (const HostPath& socket : opened.sockets) AGENTCTL_TRY_VOID(check_place(socket, policy.files, facts));
  return opened;
}

std::string caller_variable(const HostFacts& facts, const std::string& name) {
  const auto variable = facts.environment.find(name);
  return variable == facts.environment.end() ? std::string() : variable->second;
}

Result<const PathFact*> find_socket(const HostFacts& facts, std::string_view opening, std::string_view found_by,
                                    const std::string& path, Opened& opened) {
  const auto without = [&](const std::string& why) {
    opened.warnings.push_back(cat(opening, " is allowed, but the session has none: ", why));
    return static_cast<const PathFact*>(nullptr);
  };
  if (path.empty()) return without(cat(found_by, " is not set"));
  const std::string named = cat(found_by, " names '", printable(path), "', which ");
  if (!path.starts_with('/')) return without(named + "is no absolute path");
  const PathFact* fact = AGENTCTL_TRY(find_fact(facts, path));
  if (fact->kind == PathKind::absent) return without(named + "does not exist");
  if (fact->kind != PathKind::socket) return without(named + "is no socket");
  opened.sockets.push_back(fact->canonical);
  return fact;
}

// Read-only: connect(2) does not ask for more, and the socket's owner and mode stay out of reach.
Want socket_want(const PathFact& socket, const std::string& destination, std::string_view opening) {
  Want want = bind_want(socket, Access::read_only, Rank::built_in, cat("[allow] ", opening));
  want.operation.destination = SandboxPath(destination);
  want.stands_on_host = false;
  return want;
}

}  // namespace agentctl::bwrap
