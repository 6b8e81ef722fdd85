// SPDX-License-Identifier: Apache-2.0
#include "bwrap/layout.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/text.h"
#include "bwrap/path_resolution.h"

namespace agentctl::bwrap {
namespace {

constexpr std::uint64_t kMaskBytes = 4096;
constexpr const char* kDefaultOrigin = "built-in default";

bool is_bind(const Operation& operation) {
  return operation.kind == OperationKind::bind || operation.kind == OperationKind::bind_project ||
         operation.kind == OperationKind::pin;
}

// An empty place of ours, or a file system that the kernel fills for this sandbox alone.
bool is_fresh(const Operation& operation) {
  return operation.kind == OperationKind::tmpfs || operation.kind == OperationKind::proc ||
         operation.kind == OperationKind::dev || operation.kind == OperationKind::directory ||
         (operation.kind == OperationKind::mask && operation.directory);
}

auto depth(std::string_view path) { return path == "/" ? 0 : std::count(path.begin(), path.end(), '/'); }

Error refuse(const Operation& operation, std::string_view why) {
  return make_error(ErrorKind::policy,
                    cat(operation.origin, ": cannot place '", printable(operation.destination.str()), "': ", why));
}

// Whether `places`, sorted by path, has `path` or something below it.
template <typename Map>
auto find_at_or_below(const Map& places, const std::string& path) {
  const auto at = places.find(path);
  if (at != places.end()) return at;
  const auto below = places.lower_bound(path + "/");
  return below != places.end() && starts_with_path(below->first, path) ? below : places.end();
}

template <typename Map>
bool holds_below(const Map& places, const std::string& path) {
  const auto below = places.lower_bound(path + "/");
  return below != places.end() && starts_with_path(below->first, path);
}

Operation remount(const std::string& destination, bool is_node = false) {
  Operation operation;
  operation.is_node = is_node;
  operation.kind = OperationKind::remount_read_only;
  operation.destination = SandboxPath(destination);
  operation.origin = kDefaultOrigin;
  return operation;
}

}  // namespace

Want bind_want(const PathFact& fact, Access access, Rank rank, const std::string& origin) {
  Want want;
  want.operation.source = fact.canonical;
  want.operation.destination = SandboxPath(fact.canonical.str());
  want.operation.access = access;
  want.operation.origin = origin;
  want.rank = rank;
  return want;
}

Want hide_want(const PathFact& fact, const std::string& origin) {
  Want want = bind_want(fact, Access::read_only, Rank::hide, origin);
  want.operation.kind = OperationKind::mask;
  want.operation.directory = fact.kind == PathKind::directory;
  want.grants = false;
  return want;
}

void Layout::want(Want added) {
  const auto [entry, fresh] = wants_.try_emplace(added.operation.destination.str(), added);
  if (fresh) return;
  Want& present = entry->second;
  if (present.rank < added.rank) std::swap(present, added);
  const bool only_takes = present.rank == Rank::hide || (present.rank == Rank::protect && !present.grants);
  if (is_fresh(added.operation) && only_takes) {
    present = std::move(added);
    return;
  }
  present.grants = present.grants || added.grants;
  // The project stays the directory that is held, whatever else is said of it.
  if (added.operation.kind == OperationKind::bind_project) present.operation.kind = OperationKind::bind_project;
}

void Layout::want_links(const PathFact& fact, const std::string& origin) {
  for (const Link& link : fact.links) {
    Operation operation;
    operation.kind = OperationKind::symlink;
    operation.destination = SandboxPath(link.path.str());
    operation.text = link.target;
    operation.origin = origin;
    links_.try_emplace(link.path.str(), std::move(operation));
  }
}

void Layout::hide(const PathFact& fact, const std::string& origin) {
  for (HiddenName& name : find_hidden_names(fact, origin)) hidden_names_.push_back(std::move(name));
  if (fact.kind != PathKind::absent) want(hide_want(fact, origin));
}

Layout::Cover Layout::cover_at(std::string_view path) const {
  const auto entry = wants_.find(path);
  if (entry == wants_.end()) return path == "/" ? Cover{path} : cover_at(parent_of(path));
  const Operation& operation = entry->second.operation;
  Cover cover{path};
  cover.writable = operation.access == Access::read_write;
  if (is_bind(operation)) {
    // A tree that stands elsewhere on the host is one of ours: what is to be in it can be made there.
    const bool is_ours = operation.kind == OperationKind::bind && operation.source.str() != operation.destination.str();
    cover.kind = is_ours ? Cover::Kind::ours : Cover::Kind::host;
  } else if (operation.kind == OperationKind::proc || operation.kind == OperationKind::dev) {
    cover.kind = Cover::Kind::special;
  } else if (!is_fresh(operation)) {
    cover.kind = Cover::Kind::file;
  }
  return cover;
}

bool Layout::has_at_or_below(const std::string& path) const { return find_at_or_below(wants_, path) != wants_.end(); }

bool Layout::is_hidden(const std::string& path) const {
  for (std::string at = path; at != "/"; at = parent_path(at)) {
    const auto entry = wants_.find(at);
    if (entry != wants_.end() && entry->second.rank == Rank::hide) return true;
  }
  return false;
}

Layout::Cover Layout::cover_above(std::string_view path) const {
  return path == "/" ? Cover{path} : cover_at(parent_of(path));
}

Result<bool> Layout::keep(const Want& want) const {
  const Operation& operation = want.operation;
  const Cover cover = cover_above(operation.destination.str());
  switch (cover.kind) {
    case Cover::Kind::ours:
      return want.rank != Rank::hide && (want.rank != Rank::protect || want.grants);
    case Cover::Kind::special:
      if (want.rank == Rank::built_in) return true;
      return refuse(operation, cat("'", cover.path, "' is made anew for each session"));
    case Cover::Kind::file:
      return refuse(operation, cat("'", printable(cover.path), "' is a file"));
    case Cover::Kind::host:
      break;
  }
  if (operation.kind == OperationKind::bind) return cover.writable != (operation.access == Access::read_write);
  if (is_bind(operation) || want.stands_on_host) return true;
  return refuse(operation, cat("it would have to be made on the host, in '", printable(cover.path), "'"));
}

void Layout::withhold_defaults() {
  const auto is_default = [](const Want& want) {
    const Operation& operation = want.operation;
    return operation.kind == OperationKind::bind && operation.source.str() == operation.destination.str() &&
           (want.rank == Rank::built_in || operation.origin.starts_with(kDefaultOrigin));
  };
  for (const std::string& path : closed_) {
    const std::string within = path + "/";
    for (auto at = wants_.lower_bound(within); at != wants_.end() && at->first.starts_with(within);) {
      if (!is_default(at->second)) {
        ++at;
        continue;
      }
      withheld_[path].push_back(at->first);
      at = wants_.erase(at);
    }
    for (auto at = links_.lower_bound(within); at != links_.end() && at->first.starts_with(within);) {
      at = at->second.origin.starts_with(kDefaultOrigin) ? links_.erase(at) : std::next(at);
    }
  }
}

void Layout::pin_ancestors() {
  std::map<std::string, Want> pins;
  for (const auto& [destination, want] : wants_) {
    const bool takes = is_bind(want.operation) ? want.operation.access == Access::read_only : want.rank == Rank::hide;
    if (!takes) continue;
    const Cover cover = cover_above(destination);
    if (destination != cover.path) pin_upwards(parent_path(destination), cover, want.operation.origin, pins);
  }
  for (const auto& [directory, origin] : held_) pin_upwards(directory, cover_at(directory), origin, pins);
  for (auto& [unused, pin] : pins) want(std::move(pin));
}

void Layout::pin_upwards(const std::string& directory, const Cover& tree, const std::string& origin,
                         std::map<std::string, Want>& pins) const {
  if (tree.kind != Cover::Kind::host || !tree.writable) return;
  for (std::string at = directory; at != tree.path; at = parent_path(at)) {
    if (pins.contains(at)) return;  // and with it what lies above
    Want pin;
    pin.operation.kind = OperationKind::pin;
    pin.operation.source = HostPath(at);
    pin.operation.destination = SandboxPath(at);
    pin.operation.access = Access::read_write;
    pin.operation.origin = origin;
    pins.emplace(at, std::move(pin));
  }
}

void Layout::open_masks() {
  for (auto& [path, want] : wants_) {
    Operation& operation = want.operation;
    if (operation.kind != OperationKind::mask || !operation.directory) continue;
    if (!holds_below(wants_, path) && !holds_below(links_, path)) continue;
    operation.kind = OperationKind::tmpfs;
    operation.source = HostPath();
    operation.mode = kMaskDirectoryMode;
    operation.size = kMaskBytes;
    seal(path);
  }
}

Result<void> Layout::keep_links() {
  for (auto link = links_.begin(); link != links_.end();) {
    if (cover_above(link->first).kind != Cover::Kind::ours) {
      link = links_.erase(link);  // the bound tree has it
      continue;
    }
    const auto below = find_at_or_below(wants_, link->first);
    if (below != wants_.end()) {
      return refuse(below->second.operation, cat("'", printable(link->first), "' is a symbolic link on the host"));
    }
    ++link;
  }
  return {};
}

Result<std::vector<Operation>> Layout::arrange() {
  withhold_defaults();
  std::vector<std::pair<std::ptrdiff_t, std::string>> shallow_first;
  shallow_first.reserve(wants_.size());
  for (const auto& [path, unused] : wants_) shallow_first.emplace_back(depth(path), path);
  std::sort(shallow_first.begin(), shallow_first.end());
  for (const auto& [unused, path] : shallow_first) {
    if (!AGENTCTL_TRY(keep(wants_.at(path)))) wants_.erase(path);
  }
  pin_ancestors();
  AGENTCTL_TRY_VOID(keep_links());
  open_masks();

  std::map<std::pair<std::ptrdiff_t, std::string_view>, const Operation*> ordered;
  for (const auto& [path, want] : wants_) ordered.try_emplace({depth(path), path}, &want.operation);
  for (const auto& [path, link] : links_) ordered.try_emplace({depth(path), path}, &link);
  std::vector<Operation> operations;
  operations.reserve(ordered.size() + sealed_.size() + 1);
  for (const auto& [unused, operation] : ordered) operations.push_back(*operation);
  for (const std::string& node : sealed_nodes_) operations.push_back(remount(node, true));
  for (const auto& [path, want] : wants_) {
    const bool is_node = !sealed_nodes_.empty() && want.operation.kind == OperationKind::bind_device;
    if (is_node || sealed_.contains(path)) operations.push_back(remount(path, is_node));
  }
  operations.push_back(remount("/"));
  return operations;
}

bool Layout::is_writable(const std::string& path) const {
  const Cover cover = cover_at(path);
  return cover.kind == Cover::Kind::host && cover.writable;
}

bool Layout::shows(const PathFact& fact) const {
  const std::string& end = fact.canonical.str();
  if (end.empty()) return false;
  const auto shows_link = [&](const Link& link) {
    return cover_above(link.path.str()).kind == Cover::Kind::host || links_.contains(link.path.str());
  };
  if (!std::all_of(fact.links.begin(), fact.links.end(), shows_link)) return false;
  if (cover_at(end).kind == Cover::Kind::host) return true;
  return find_at_or_below(wants_, end) != wants_.end() || find_at_or_below(links_, end) != links_.end();
}

}  // namespace agentctl::bwrap
