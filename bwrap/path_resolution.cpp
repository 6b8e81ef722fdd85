// SPDX-License-Identifier: Apache-2.0
#include "bwrap/path_resolution.h"

#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/text.h"

namespace agentctl::bwrap {
namespace {

constexpr int kMostLinks = 40;  // as the kernel: path_resolution(7)

void push_components(std::vector<std::string>& pending, const std::string& path) {
  const std::vector<std::string> parts = split(path, '/');
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
    if (!part->empty() && *part != ".") pending.push_back(*part);
  }
}

std::string join_pending(const std::vector<std::string>& pending) {
  std::string rest;
  for (auto part = pending.rbegin(); part != pending.rend(); ++part) rest += rest.empty() ? *part : cat("/", *part);
  return rest;
}

}  // namespace

PathKind kind_of(mode_t mode) {
  if (S_ISREG(mode)) return PathKind::file;
  if (S_ISDIR(mode)) return PathKind::directory;
  if (S_ISSOCK(mode)) return PathKind::socket;
  return PathKind::other;
}

namespace {

// Absolute, and no component of it is empty, "." or "..": nearly every path that anybody writes.
bool is_normal(std::string_view path) {
  if (!path.starts_with('/')) return false;
  if (path.size() == 1) return true;
  std::size_t length = 0;  // of the component that ends here
  bool has_name = false;   // something else than dots is in it
  for (std::size_t at = 1; at <= path.size(); ++at) {
    if (at < path.size() && path[at] != '/') {
      ++length;
      has_name = has_name || path[at] != '.';
      continue;
    }
    if (length == 0 || (!has_name && length <= 2)) return false;
    length = 0;
    has_name = false;
  }
  return true;
}

}  // namespace

std::string_view parent_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == 0 || slash == std::string_view::npos ? std::string_view("/") : path.substr(0, slash);
}

std::string parent_path(const std::string& path) { return std::string(parent_of(path)); }

std::string join_path(const std::string& directory, const std::string& name) {
  return directory.ends_with('/') ? cat(directory, name) : cat(directory, "/", name);
}

std::string normalize_path(std::string absolute) {
  if (is_normal(absolute)) return absolute;
  std::string out = "/";
  out.reserve(absolute.size() + 1);
  for_each_part(absolute, '/', [&](std::string_view part) {
    if (part.empty() || part == ".") return;
    if (part == "..") {
      out.resize(std::max<std::size_t>(out.rfind('/'), 1));
      return;
    }
    if (!out.ends_with('/')) out += '/';
    out += part;
  });
  return out;
}

const SeenPlace& PathResolver::look(const std::string& path) {
  const auto [entry, added] = seen_.try_emplace(path);
  if (!added) return entry->second;
  SeenPlace& seen = entry->second;
  if (look_at_) return seen = look_at_(path);
  const auto silent = mounts_ == nullptr ? std::nullopt : mounts_->find_silent(path);
  if (silent) {
    seen.obstacle = describe(*silent);
    return seen;
  }
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) return seen;
  if (!S_ISLNK(status.st_mode)) {
    seen.kind = kind_of(status.st_mode);
    seen.has_other_names = seen.kind == PathKind::file && status.st_nlink > 1;
    return seen;
  }
  char target[PATH_MAX];
  const ssize_t length = ::readlink(path.c_str(), target, sizeof target);
  if (length <= 0) return seen;
  seen.link = true;
  seen.target.assign(target, static_cast<std::size_t>(length));
  return seen;
}

bool PathResolver::is_plain_directory(const std::string& normal) {
  if (normal == "/") return true;
  if (const auto known = plain_.find(normal); known != plain_.end()) return known->second;
  bool plain = is_plain_directory(parent_path(normal));
  if (plain) {
    const SeenPlace& seen = look(normal);
    plain = !seen.link && seen.kind == PathKind::directory;
  }
  plain_.emplace(normal, plain);
  return plain;
}

PathFact PathResolver::resolve(const std::string& absolute) {
  PathFact fact;
  fact.path = HostPath(normalize_path(absolute));
  if (absolute == fact.path.str() && is_plain_directory(parent_path(absolute))) {
    const SeenPlace& seen = look(absolute);
    if (!seen.link && seen.obstacle.empty()) {
      fact.kind = seen.kind;
      fact.has_other_names = seen.has_other_names;
      (seen.kind == PathKind::absent ? fact.missing : fact.canonical) = fact.path;
      if (seen.kind == PathKind::absent) fact.present = HostPath(parent_path(absolute));
      return fact;
    }
  }
  std::vector<std::string> pending;
  push_components(pending, absolute);
  std::string at = "/";
  PathKind kind = PathKind::directory;
  bool has_other_names = false;
  int links = 0;
  while (!pending.empty()) {
    const std::string component = std::move(pending.back());
    pending.pop_back();
    if (component == "..") {
      at = parent_path(at);
      kind = PathKind::directory;
      continue;
    }
    std::string next = join_path(at, component);
    const auto miss = [&] {
      fact.missing = HostPath(normalize_path(cat(next, "/", join_pending(pending))));
      fact.present = HostPath(kind == PathKind::directory ? at : parent_path(at));
      return fact;
    };
    if (kind != PathKind::directory) return miss();
    const SeenPlace& seen = look(next);
    if (seen.link) {
      if (++links > kMostLinks) return fact;
      fact.links.push_back(Link{HostPath(next), seen.target, join_pending(pending)});
      push_components(pending, seen.target);
      if (seen.target.starts_with('/')) at = "/";
      continue;
    }
    if (!seen.obstacle.empty()) {
      fact.obstacle = seen.obstacle;
      return fact;
    }
    if (seen.kind == PathKind::absent) return miss();
    at = std::move(next);
    kind = seen.kind;
    has_other_names = seen.has_other_names;
  }
  fact.canonical = HostPath(at);
  fact.kind = kind;
  fact.has_other_names = has_other_names;
  return fact;
}

PathFact resolve_path(const std::string& absolute_path) { return PathResolver().resolve(absolute_path); }

}  // namespace agentctl::bwrap
