// SPDX-License-Identifier: Apache-2.0
#include "bwrap/path_resolution.h"

#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

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

PathKind kind_of(mode_t mode) {
  if (S_ISREG(mode)) return PathKind::file;
  if (S_ISDIR(mode)) return PathKind::directory;
  if (S_ISSOCK(mode)) return PathKind::socket;
  return PathKind::other;
}

}  // namespace

std::string parent_path(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == 0 || slash == std::string::npos ? "/" : path.substr(0, slash);
}

std::string join_path(const std::string& directory, const std::string& name) {
  return directory.ends_with('/') ? cat(directory, name) : cat(directory, "/", name);
}

std::string normalize_path(const std::string& absolute) {
  std::string out = "/";
  for (const std::string& part : split(absolute, '/')) {
    if (part.empty() || part == ".") continue;
    out = part == ".." ? parent_path(out) : join_path(out, part);
  }
  return out;
}

const PathResolver::Seen& PathResolver::look(const std::string& path) {
  const auto [entry, added] = seen_.try_emplace(path);
  if (!added) return entry->second;
  Seen& seen = entry->second;
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) return seen;
  if (!S_ISLNK(status.st_mode)) {
    seen.kind = kind_of(status.st_mode);
    return seen;
  }
  char target[PATH_MAX];
  const ssize_t length = ::readlink(path.c_str(), target, sizeof target);
  if (length <= 0) return seen;
  seen.link = true;
  seen.target.assign(target, static_cast<std::size_t>(length));
  return seen;
}

PathFact PathResolver::resolve(const std::string& absolute) {
  PathFact fact;
  fact.path = HostPath(normalize_path(absolute));
  std::vector<std::string> pending;
  push_components(pending, absolute);
  std::string at = "/";
  PathKind kind = PathKind::directory;
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
      return fact;
    };
    if (kind != PathKind::directory) return miss();
    const Seen& seen = look(next);
    if (seen.link) {
      if (++links > kMostLinks) return fact;
      fact.links.push_back(Link{HostPath(next), seen.target, join_pending(pending)});
      push_components(pending, seen.target);
      if (seen.target.starts_with('/')) at = "/";
      continue;
    }
    if (seen.kind == PathKind::absent) return miss();
    at = std::move(next);
    kind = seen.kind;
  }
  fact.canonical = HostPath(at);
  fact.kind = kind;
  return fact;
}

PathFact resolve_path(const std::string& absolute_path) { return PathResolver().resolve(absolute_path); }

}  // namespace agentctl::bwrap
