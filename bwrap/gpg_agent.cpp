// SPDX-License-Identifier: Apache-2.0
// gpg-agent(1): its extra socket, which answers for signing and decrypting but gives out and changes no key, at the
// place where gpg inside looks for the main one; and the public keys, owner trust and gpg.conf, read-only, in a GnuPG
// home that is else empty. Private keys stay outside. Where keyboxd holds the public keys, gpg inside finds none.
#include <utility>

#include "base/text.h"
#include "bwrap/gpg_socket_directory.h"
#include "bwrap/opening.h"
#include "bwrap/path_resolution.h"
#include "bwrap/system_layout.h"

namespace agentctl::bwrap {
namespace {

constexpr const char* kName = "gpg-agent";
constexpr const char* kOrigin = "[allow] gpg-agent";
constexpr const char* kVariable = "GNUPGHOME";
constexpr const char* kRestricted = "S.gpg-agent.extra";
constexpr std::uint64_t kHomeBytes = 1ULL << 20;
constexpr std::uint32_t kPrivateMode = 0700;

const std::vector<std::string> kPublicFiles = {"pubring.kbx", "pubring.gpg", "trustdb.gpg", "gpg.conf"};
constexpr const char* kKeyboxdDatabase = "public-keys.d/pubring.db";

std::string default_home(const HostFacts& facts) { return join_path(facts.home.path.str(), ".gnupg"); }

std::string gpg_home(const HostFacts& facts) {
  std::string home = caller_variable(facts, kVariable);
  while (home.size() > 1 && home.ends_with('/')) home.pop_back();
  return home.empty() ? default_home(facts) : home;
}

std::string socket_directory(const HostFacts& facts) {
  return gpg_socket_directory(facts.uid, gpg_home(facts), default_home(facts));
}

std::vector<std::string> paths(const HostFacts& facts) {
  const std::string home = gpg_home(facts);
  if (!home.starts_with('/')) return {};
  std::vector<std::string> all = {home, join_path(home, kRestricted), join_path(socket_directory(facts), kRestricted),
                                  join_path(home, kKeyboxdDatabase)};
  for (const std::string& name : kPublicFiles) all.push_back(join_path(home, name));
  return all;
}

void want_fresh(OperationKind kind, const std::string& path, bool stands_on_host, Layout& layout) {
  Want want;
  want.operation.kind = kind;
  want.operation.destination = SandboxPath(path);
  want.operation.access = Access::read_write;
  want.operation.mode = kPrivateMode;  // GnuPG takes no directory that others may enter
  want.operation.size = kind == OperationKind::tmpfs ? kHomeBytes : 0;
  want.operation.origin = kOrigin;
  want.stands_on_host = stands_on_host;
  layout.want(std::move(want));
}

Result<void> show_public_files(const HostFacts& facts, const PathFact& home, Layout& layout) {
  layout.want_links(home, kOrigin);
  want_fresh(OperationKind::tmpfs, home.canonical.str(), true, layout);
  for (const std::string& name : kPublicFiles) {
    const PathFact& file = *AGENTCTL_TRY(find_fact(facts, join_path(gpg_home(facts), name)));
    if (file.kind != PathKind::file) continue;
    Want want = bind_want(file, Access::read_only, Rank::built_in, kOrigin);
    want.operation.destination = SandboxPath(join_path(home.canonical.str(), name));
    layout.want(std::move(want));
  }
  return {};
}

Result<void> open(const HostFacts& facts, Layout& layout, Opened& opened) {
  const std::string home = gpg_home(facts);
  const std::string none = cat(kName, " is allowed, but the session has none: ");
  const auto known_home = facts.paths.find(home);
  if (known_home == facts.paths.end() || known_home->second.kind != PathKind::directory) {
    opened.warnings.push_back(cat(none, "there is no directory '", printable(home), "'"));
    return {};
  }
  const std::string place = known_home->second.canonical.str();
  const std::string& project = facts.project.canonical.str();
  if (starts_with_path(place, project) || starts_with_path(project, place)) {
    return make_error(ErrorKind::policy, cat("cannot let in ", kName, ": the GnuPG home '", printable(home),
                                             "' must lie beside the project, for an agent may replace what is in it"));
  }
  const std::string directory = socket_directory(facts);
  const PathFact* socket = AGENTCTL_TRY(find_fact(facts, join_path(directory, kRestricted)));
  if (socket->kind != PathKind::socket) socket = AGENTCTL_TRY(find_fact(facts, join_path(home, kRestricted)));
  if (socket->kind != PathKind::socket) {
    opened.warnings.push_back(cat(none, "no '", kRestricted, "' in '", printable(directory), "' or '", printable(home),
                                  "'; 'gpgconf --launch gpg-agent' starts it"));
    return {};
  }
  want_fresh(OperationKind::directory, cat(runtime_directory(facts.uid), "/gnupg"), false, layout);
  want_fresh(OperationKind::directory, directory, false, layout);
  opened.sockets.push_back(socket->canonical);
  layout.want(socket_want(*socket, directory + "/S.gpg-agent", kName));
  AGENTCTL_TRY_VOID(show_public_files(facts, known_home->second, layout));
  if (home != default_home(facts)) opened.variables[kVariable] = home;
  opened.warnings.emplace_back("gpg-agent is let in: the session can sign and decrypt with every key that it unlocks");
  if (AGENTCTL_TRY(find_fact(facts, join_path(home, kKeyboxdDatabase)))->kind == PathKind::file) {
    opened.warnings.emplace_back("gpg-agent: keyboxd holds your public keys and is not let in: gpg finds none inside");
  }
  return {};
}

}  // namespace

Opening gpg_agent_opening() { return {kName, paths, open}; }

}  // namespace agentctl::bwrap
