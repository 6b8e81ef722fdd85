// SPDX-License-Identifier: Apache-2.0
#include "bwrap/served_sockets.h"

#include <dirent.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "base/file.h"
#include "base/text.h"
#include "bwrap/rule_entry.h"

namespace agentctl::bwrap {
namespace {

constexpr const char* kOrigin = "a socket that is served outside";
constexpr std::size_t kMostBytes = 16U << 20;
constexpr std::size_t kMostNamed = 3;
constexpr int kMostEntries = 2000;

struct CloseDirectory {
  void operator()(DIR* stream) const { ::closedir(stream); }
};
using Directory = std::unique_ptr<DIR, CloseDirectory>;

bool lies_in(const std::string& path, const std::vector<std::string>& trees) {
  return std::any_of(trees.begin(), trees.end(), [&](const std::string& tree) { return starts_with_path(path, tree); });
}

class SocketSearch {
 public:
  SocketSearch(const std::vector<std::string>& trees, PathResolver& resolver) : trees_(trees), resolver_(resolver) {}

  void look_for(const std::string& path) {
    const std::string& directory = shown_directory(parent_path(path));
    if (directory.empty()) return;
    PathFact fact = resolver_.resolve(path);
    if (fact.kind == PathKind::absent && fact.obstacle.empty()) return look_beside(directory);
    add(std::move(fact));
  }

  // Relative to where its server stands, which is mostly where it was bound.
  void look_for_relative(const std::vector<std::string>& names) {
    if (names.empty()) return;
    for (const std::string& directory : working_directories()) {
      for (const std::string& name : names) {
        const std::string path = normalize_path(cat(directory, "/", name));
        if (lies_in(path, trees_)) add(resolver_.resolve(path));
      }
    }
  }

  std::vector<PathFact> take() {
    std::vector<PathFact> all;
    for (auto& [unused, fact] : found_) all.push_back(std::move(fact));
    return all;
  }

 private:
  // Canonical; "" for one in which nothing is shown. Many sockets stand beside each other.
  const std::string& shown_directory(const std::string& path) {
    const auto [known, is_new] = directories_.try_emplace(path);
    if (is_new) {
      const PathFact fact = resolver_.resolve(path);
      if (fact.kind == PathKind::directory && lies_in(fact.canonical.str(), trees_))
        known->second = fact.canonical.str();
    }
    return known->second;
  }

  void add(PathFact fact) {
    if (fact.kind != PathKind::socket || !lies_in(fact.canonical.str(), trees_)) return;
    const std::string path = fact.canonical.str();
    found_.try_emplace(path, std::move(fact));
  }

  // Some are bound by another name first and renamed.
  void look_beside(const std::string& directory) {
    if (!listed_.insert(directory).second) return;
    const Directory stream(::opendir(directory.c_str()));
    for (int count = 0; stream != nullptr && count < kMostEntries; ++count) {
      const dirent* entry = ::readdir(stream.get());
      if (entry == nullptr) return;
      if (entry->d_type == DT_SOCK) add(resolver_.resolve(join_path(directory, entry->d_name)));
    }
  }

  // Of the user's processes; those of others cannot be read.
  static std::set<std::string> working_directories() {
    std::set<std::string> directories;
    const Directory stream(::opendir("/proc"));
    while (const dirent* entry = stream == nullptr ? nullptr : ::readdir(stream.get())) {
      if (std::strtol(entry->d_name, nullptr, 10) <= 0) continue;
      char target[PATH_MAX];
      const ssize_t size = ::readlink(cat("/proc/", entry->d_name, "/cwd").c_str(), target, sizeof target);
      if (size > 0 && target[0] == '/') directories.emplace(target, static_cast<std::size_t>(size));
    }
    return directories;
  }

  const std::vector<std::string>& trees_;
  PathResolver& resolver_;
  std::map<std::string, std::string> directories_;  // as named
  std::map<std::string, PathFact> found_;
  std::set<std::string> listed_;
};

}  // namespace

std::vector<std::string> names_of_served(std::string_view proc_net_unix) {
  constexpr unsigned long kListens = 1UL << 16;  // __SO_ACCEPTCON
  constexpr std::string_view kDatagram = "0002";
  std::vector<std::string> names;
  for_each_part(proc_net_unix, '\n', [&](std::string_view line) {
    // Num RefCount Protocol Flags Type St Inode Path
    std::string_view fields[7];
    for (std::string_view& field : fields) {
      line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
      field = line.substr(0, line.find(' '));
      line.remove_prefix(field.size());
    }
    if (line.size() < 2 || line[1] == '@') return;
    const bool listens = (std::strtoul(std::string(fields[3]).c_str(), nullptr, 16) & kListens) != 0;
    if (listens || fields[4] == kDatagram) names.emplace_back(line.substr(1));
  });
  return names;
}

std::vector<PathFact> find_served_sockets(const std::vector<std::string>& trees, PathResolver& resolver) {
  const auto list = read_file("/proc/net/unix", kMostBytes);
  if (!list) return {};
  SocketSearch search(trees, resolver);
  std::vector<std::string> relative;
  for (std::string& name : names_of_served(*list)) {
    if (name.starts_with('/'))
      search.look_for(name);
    else
      relative.push_back(std::move(name));
  }
  search.look_for_relative(relative);
  return search.take();
}

void cover_served_sockets(const policy::FileSettings& files, const HostFacts& facts, Layout& layout,
                          std::vector<std::string>& warnings) {
  std::set<std::string> named;
  for (const policy::Entry& entry : files.read_write) {
    const auto fact = facts.paths.find(expand_entry(entry, facts));
    if (fact != facts.paths.end()) named.insert(fact->second.canonical.str());
  }
  std::vector<std::string> covered;
  for (const PathFact& socket : facts.served_sockets) {
    const std::string& path = socket.canonical.str();
    if (named.contains(path) || layout.has_at(path) || !layout.is_of_the_host(path)) continue;
    layout.want(hide_want(socket, kOrigin));
    covered.push_back(cat("'", printable(path), "'"));
  }
  if (covered.empty()) return;
  warnings.push_back(cat("files: hidden, since programs outside serve them: the ",
                         covered.size() == 1 ? "socket " : "sockets ", join_some(covered, ", ", kMostNamed),
                         "; --rw with the path of one lets the session connect to it"));
}

}  // namespace agentctl::bwrap
