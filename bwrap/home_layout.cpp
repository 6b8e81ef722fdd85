// SPDX-License-Identifier: Apache-2.0
#include "bwrap/home_layout.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "bwrap/directory_listing.h"
#include "bwrap/home_secrets.h"
#include "bwrap/system_layout.h"

namespace agentctl::bwrap {
namespace {

constexpr const char* kOrigin = "built-in default";
constexpr const char* kCache = "/.cache";
constexpr const char* kState = "/.local/state";
constexpr std::uint32_t kHomeMode = 0700;

bool is_present(const HostFacts& facts) { return facts.home.kind == PathKind::directory; }

const std::string& place_of_home(const HostFacts& facts) {
  return is_present(facts) ? facts.home.canonical.str() : facts.home.path.str();
}

std::string own_directory_name(const HostFacts& facts, std::string_view kind) {
  return cat(facts.state_dir, "/", kind, "/", name_of_path(facts.project.canonical.str()));
}

Want private_directory(const std::string& place, std::uint64_t bytes, const std::string& origin) {
  Want want;
  want.operation.kind = OperationKind::tmpfs;
  want.operation.destination = SandboxPath(place);
  want.operation.access = Access::read_write;
  want.operation.size = bytes;
  want.operation.mode = kHomeMode;
  want.operation.origin = origin;
  return want;
}

Want own_bind(const std::string& source, const std::string& place, const std::string& origin) {
  Want want;
  want.operation.kind = OperationKind::bind;
  want.operation.source = HostPath(source);
  want.operation.destination = SandboxPath(place);
  want.operation.access = Access::read_write;
  want.operation.origin = origin;
  return want;
}

void add_cache(const policy::FileSettings& files, const HostFacts& facts, std::uint64_t tmpfs_bytes, Layout& layout,
               HomePlan& home, std::vector<std::string>& warnings) {
  const std::string name = facts.home.path.str() + kCache;
  home.cache = name;
  if (home_mode(files) == policy::HomeMode::persistent) return;
  const auto fact = facts.paths.find(name);
  const bool exists = fact != facts.paths.end() && fact->second.kind == PathKind::directory;
  const bool read_only_home = home_mode(files) == policy::HomeMode::read_only && is_present(facts);
  std::string place = place_of_home(facts) + kCache;
  if (read_only_home && exists) place = fact->second.canonical.str();
  if (read_only_home && !exists) home.cache = place = runtime_directory(facts.uid) + kCache;
  if (layout.has_at_or_below(place)) {
    // A mount point in a directory that another session of this project may be changing is not made.
    if (read_only_home) layout.want(private_directory(place, tmpfs_bytes, kOrigin));
    warnings.push_back(cat("caches: the policy shows something in '", printable(place),
                           "': what tools cache there is gone with the session"));
    return;
  }
  home.own.cache = own_directory_name(facts, "caches");
  layout.want(own_bind(home.own.cache, place, kOrigin));
}

// The directory of that name, where something has shown it as it is on the host.
const PathFact* shown_directory(const HostFacts& facts, const std::string& name, const Layout& layout) {
  const auto fact = facts.paths.find(name);
  const bool is_directory = fact != facts.paths.end() && fact->second.kind == PathKind::directory;
  return is_directory && layout.is_of_the_host(fact->second.canonical.str()) ? &fact->second : nullptr;
}

// An entry that is a link, as a fact that ends at it: only the link itself is made again.
PathFact first_link(const PathFact& entry) {
  PathFact link = entry;
  link.links.resize(1);
  return link;
}

void add_split_directory(const std::string& directory, const std::vector<PathFact>& entries, std::uint64_t bytes,
                         Layout& layout) {
  Want around = private_directory(directory, bytes, kOrigin);
  around.rank = Rank::read_write;  // before the read-only entry that shows it whole
  layout.want(std::move(around));
  for (const PathFact& entry : entries) {
    if (!entry.links.empty()) {
      layout.want_links(first_link(entry), kOrigin);
    } else if (entry.kind == PathKind::directory || entry.kind == PathKind::file) {
      layout.want(bind_want(entry, Access::read_only, Rank::read_only, kOrigin));
    }
  }
}

// The deepest directory above an absent path that is there.
PathFact nearest_directory(const std::string& path, PathResolver& resolver) {
  std::string at = parent_path(path);
  PathFact fact = resolver.resolve(at);
  while (fact.kind == PathKind::absent && at != "/") fact = resolver.resolve(at = parent_path(at));
  return fact;
}

}  // namespace

std::vector<std::string> home_path_names(const std::string& home) { return {home + kCache, home + kState}; }

std::map<std::string, std::vector<PathFact>> list_split_directories(const policy::FileSettings& files,
                                                                    const HostFacts& facts, PathResolver& resolver) {
  const auto expand = [&](const std::string& text) {
    return expand_path(text, facts.home.path.str(), facts.project.canonical.str());
  };
  std::vector<std::string> places = {facts.home.path.str() + kState};
  for (const policy::Entry& entry : files.read_write) places.push_back(expand(entry.text));
  std::map<std::string, std::vector<PathFact>> split;
  for (const std::string& named : places) {
    const std::string& place = starts_with_path(named, places.front()) ? places.front() : named;  // private anyway
    if (resolver.resolve(place).kind != PathKind::absent) continue;
    const PathFact directory = nearest_directory(place, resolver);
    const std::string& path = directory.canonical.str();
    if (directory.kind != PathKind::directory || path == place_of_home(facts) ||
        !starts_with_path(path, place_of_home(facts)) || split.contains(path)) {
      continue;
    }
    const bool shown = std::any_of(files.read_only.begin(), files.read_only.end(), [&](const policy::Entry& entry) {
      const PathFact fact = resolver.resolve(expand(entry.text));
      return fact.kind == PathKind::directory && starts_with_path(path, fact.canonical.str());
    });
    if (!shown) continue;
    std::vector<PathFact> entries = list_directory(path, resolver);
    if (!entries.empty()) split.emplace(path, std::move(entries));
  }
  return split;
}

Result<HomePlan> add_home(const policy::FileSettings& files, const HostFacts& facts, std::uint64_t tmpfs_bytes,
                          Layout& layout) {
  const std::string origin = files.home ? policy::to_string(files.home->origin) : kOrigin;
  const std::string& place = place_of_home(facts);
  HomePlan plan;
  if (!place.starts_with('/') || place == "/") {
    return make_error(ErrorKind::environment, cat("cannot make a private home of '", printable(place), "'"),
                      "set HOME to a directory of your own");
  }
  if (is_present(facts)) layout.want_links(facts.home, origin);
  switch (home_mode(files)) {
    case policy::HomeMode::read_only:
      if (!is_present(facts)) break;
      layout.want(bind_want(facts.home, Access::read_only, Rank::built_in, origin));
      return plan;
    case policy::HomeMode::persistent: {
      plan.own.home = own_directory_name(facts, "homes") + "/home";
      Want home = own_bind(plan.own.home, place, origin);
      home.stands_on_host = is_present(facts);
      layout.want(std::move(home));
      return plan;
    }
    case policy::HomeMode::private_home:
      break;
  }
  plan.private_place = place;
  Want home = private_directory(place, tmpfs_bytes, origin);
  home.stands_on_host = is_present(facts);
  layout.want(std::move(home));
  return plan;
}

void add_private_places(const policy::FileSettings& files, const HostFacts& facts, std::uint64_t tmpfs_bytes,
                        Layout& layout, HomePlan& home, std::vector<std::string>& warnings) {
  for (const auto& [directory, entries] : facts.split) {
    if (layout.is_of_the_host(directory)) add_split_directory(directory, entries, tmpfs_bytes, layout);
  }
  if (const PathFact* state = shown_directory(facts, facts.home.path.str() + kState, layout)) {
    layout.want(private_directory(state->canonical.str(), tmpfs_bytes, kOrigin));
  }
  hide_home_secrets(facts, layout);
  // Our own files: keys of other profiles, homes and receipts of other projects.
  for (const std::string& own : {facts.config_dir, facts.state_dir}) {
    if (const PathFact* fact = shown_directory(facts, own, layout)) layout.want(hide_want(*fact, kOrigin));
  }
  add_cache(files, facts, tmpfs_bytes, layout, home, warnings);
}

void take_mount_points(std::vector<Operation>& operations, const HostFacts& facts, OwnDirectories& own) {
  if (own.home.empty()) return;
  const std::string& home = place_of_home(facts);
  std::vector<Operation> kept;
  std::vector<std::string> mounts;  // in the home, the shallow ones first
  for (Operation& operation : operations) {
    const std::string& at = operation.destination.str();
    const bool in_home = at != home && starts_with_path(at, home);
    const bool deeper = std::any_of(mounts.begin(), mounts.end(),
                                    [&](const auto& mount) { return at != mount && starts_with_path(at, mount); });
    if (!in_home || deeper || operation.kind == OperationKind::remount_read_only) {
      kept.push_back(std::move(operation));
      continue;
    }
    MountPoint point;
    point.below = at.substr(home.size() + 1);
    point.source = operation.source;
    point.is_copy = operation.kind == OperationKind::copy;
    point.is_link = operation.kind == OperationKind::symlink;
    own.mount_points.push_back(std::move(point));
    if (operation.kind == OperationKind::copy) continue;
    if (operation.kind != OperationKind::symlink) mounts.push_back(at);
    kept.push_back(std::move(operation));
  }
  operations = std::move(kept);
}

}  // namespace agentctl::bwrap
