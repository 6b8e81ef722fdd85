// SPDX-License-Identifier: Apache-2.0
#include "bwrap/tracked_files.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/clock.h"
#include "base/sha1.h"
#include "base/sha256.h"
#include "base/text.h"
#include "bwrap/git_config.h"
#include "bwrap/git_index.h"
#include "bwrap/git_pointer.h"
#include "bwrap/ignore_lookup.h"
#include "bwrap/safe_path.h"

namespace agentctl::bwrap {
namespace {

constexpr std::size_t kMostContentBytes = 1U << 20;
constexpr std::uint64_t kLongestIgnoreUsec = 50'000;  // only a warning hangs on it

std::string to_hex(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex;
  for (const char character : bytes) {
    const auto byte = static_cast<unsigned char>(character);
    hex += kDigits[byte >> 4U];
    hex += kDigits[byte & 0xfU];
  }
  return hex;
}

// gitformat-index(5), "object name": of a file, as git hash-object(1) without filters gives it.
bool is_content_of(const std::string& path, GitHash hash, const std::string& id) {
  const auto content = read_regular_file(HostPath(path), kMostContentBytes);
  if (!content) return false;
  std::string blob = cat("blob ", content->size());
  blob.push_back('\0');
  blob += *content;
  return (hash == GitHash::sha1 ? sha1_hex(blob) : sha256_hex(blob)) == id;
}

// A working tree, the directory with its index, and what is hidden in it by its path from there.
struct Repository {
  std::string top;
  std::string gitdir;
  std::map<std::string, const PathFact*> places;
};

class Search {
 public:
  Search(const TrackedRequest& request, PathResolver& resolver) : request_(request), resolver_(resolver) {}

  KnownToGit run() {
    for (const PathFact* fact : request_.hidden) sort(*fact);
    for (const auto& [unused, repository] : repositories_) {
      if (auto read = look(repository); !read) mark_unknown(repository, read.error());
    }
    return std::move(known_);
  }

 private:
  void sort(const PathFact& fact) {
    const std::string& path = fact.canonical.str();
    const std::string& project = request_.project.str();
    if (path.empty() || path == project || !starts_with_path(path, project)) return;
    const std::string directory = parent_path(path);
    const auto [known, is_new] = owners_.try_emplace(directory, nullptr);
    if (is_new) known->second = find_owner(directory);
    if (Repository* const owner = known->second) {
      owner->places.emplace(path.substr(owner->top.size() + 1), &fact);
    } else if (fact.kind == PathKind::file) {
      // The session may yet make a repository around it.
      known_.untracked.try_emplace(path, UntrackedFact{path.substr(project.size() + 1), false, false});
    }
  }

  // Nothing where no repository that the session can write holds the directory.
  Repository* find_owner(const std::string& directory) {
    for (std::string top = directory; top != "/"; top = parent_path(top)) {
      const auto gitdir = gitdir_of(top);
      if (!gitdir) continue;
      if (!is_writable(*gitdir)) return nullptr;
      Repository& repository = repositories_[top];
      repository.top = top;
      repository.gitdir = *gitdir;
      return &repository;
    }
    return nullptr;
  }

  // Where git would look from `top`; nothing where it would go on to the directory above, or fail.
  std::optional<std::string> gitdir_of(const std::string& top) {
    const PathFact dot = resolver_.resolve(join_path(top, ".git"));
    if (dot.kind == PathKind::directory) return dot.canonical.str();
    if (dot.kind != PathKind::file) return std::nullopt;
    const auto text = read_regular_file(dot.canonical, kMostPointerBytes);
    const auto pointer = text ? parse_gitfile(*text) : Result<std::string>(text.error());
    const PathFact gitdir = pointer ? resolver_.resolve(path_from(top, *pointer)) : PathFact{};
    return gitdir.kind == PathKind::directory ? std::optional(gitdir.canonical.str()) : std::nullopt;
  }

  [[nodiscard]] bool is_writable(const std::string& gitdir) const {
    const auto holds = [&](const std::string& directory) { return starts_with_path(gitdir, directory); };
    return holds(request_.project.str()) || std::any_of(request_.writable.begin(), request_.writable.end(), holds);
  }

  Result<void> look(const Repository& repository) {
    const UniqueFd held = AGENTCTL_TRY(hold_directory(HostPath(repository.gitdir)));
    const auto common = common_of(repository.gitdir, held.get());
    const auto settings = common ? settings_of(*common) : common.error();
    const auto index = read_regular_file_beneath(held.get(), "index", kMostIndexBytes);
    if (!index && index.error().sys_errno != ENOENT) return index.error();
    if (index) {
      if (!settings) return settings.error();
      const GitHash hash = AGENTCTL_TRY(hash_of(*settings));
      AGENTCTL_TRY_VOID(look_in(*index, hash, repository));
    }
    const bool has_own_list = !settings || find_setting(*settings, "core.excludesfile");
    note_untracked(repository, common ? *common : repository.gitdir, has_own_list);
    return {};
  }

  Result<void> look_in(const std::string& index, GitHash hash, const Repository& repository) {
    std::unordered_set<std::string> files;
    std::unordered_set<std::string> directories;
    for (const auto& [path, fact] : repository.places) {
      (fact->kind == PathKind::directory ? directories : files).insert(path);
    }
    return read_git_index(index, hash, [&](const GitIndexEntry& entry) {
      const std::string path(entry.path);
      if (files.contains(path)) note_file(repository, path, entry, hash);
      if (directories.empty()) return;
      for (std::size_t slash = path.find('/'); slash != std::string::npos; slash = path.find('/', slash + 1)) {
        const std::string above = path.substr(0, slash);
        if (directories.contains(above)) note(repository, above, TrackedFact::State::changed, path);
      }
      if (directories.contains(path)) note(repository, path, TrackedFact::State::changed, path);  // a submodule
    });
  }

  Result<std::string> common_of(const std::string& gitdir, int held) {
    const auto text = read_regular_file_beneath(held, "commondir", kMostPointerBytes);
    if (!text) return gitdir;
    return resolver_.resolve(path_from(gitdir, AGENTCTL_TRY(parse_path_line(*text)))).canonical.str();
  }

  static Result<std::vector<GitSetting>> settings_of(const std::string& common) {
    const auto text = read_regular_file(HostPath(join_path(common, "config")), kMostConfigBytes);
    if (!text && text.error().sys_errno == ENOENT) return std::vector<GitSetting>();
    return text ? parse_git_config(*text) : text.error();
  }

  // Not of an include: git itself looks for extensions in the repository's own file alone.
  static Result<GitHash> hash_of(const std::vector<GitSetting>& settings) {
    const std::string name = find_setting(settings, "extensions.objectformat").value_or("sha1");
    if (name == "sha1") return GitHash::sha1;
    if (name == "sha256") return GitHash::sha256;
    return make_error(ErrorKind::policy, cat("its object format '", printable(name), "' is not known here"));
  }

  void note_untracked(const Repository& repository, const std::string& common, bool has_own_list) {
    std::optional<IgnoreLookup> ignored;
    for (const auto& [below, fact] : repository.places) {
      const std::string path = join_path(repository.top, below);
      if (fact->kind != PathKind::file || known_.tracked.contains(path)) continue;
      if (!ignored) ignored.emplace(repository.top, common, monotonic_usec() + kLongestIgnoreUsec);
      const IgnoreVerdict verdict = ignored->look(below);
      known_.untracked.try_emplace(path, UntrackedFact{below, verdict == IgnoreVerdict::ignored,
                                                       has_own_list || verdict == IgnoreVerdict::included});
    }
  }

  void note_file(const Repository& repository, const std::string& path, const GitIndexEntry& entry, GitHash hash) {
    const bool is_same = is_content_of(join_path(repository.top, path), hash, to_hex(entry.id));
    note(repository, path, is_same ? TrackedFact::State::unchanged : TrackedFact::State::changed, path);
  }

  void note(const Repository& repository, const std::string& place, TrackedFact::State state, const std::string& file) {
    const std::string path = join_path(repository.top, place);
    known_.tracked.try_emplace(path, TrackedFact{state, join_path(repository.top, file), {}, {}});
  }

  void mark_unknown(const Repository& repository, const Error& error) {
    for (const auto& [place, unused] : repository.places) {
      const std::string path = join_path(repository.top, place);
      known_.tracked.insert_or_assign(path, TrackedFact{TrackedFact::State::unknown, path, error.message, error.hint});
    }
  }

  const TrackedRequest& request_;
  PathResolver& resolver_;
  std::map<std::string, Repository> repositories_;       // by top
  std::unordered_map<std::string, Repository*> owners_;  // by directory
  KnownToGit known_;
};

}  // namespace

KnownToGit find_tracked(const TrackedRequest& request, PathResolver& resolver) {
  return Search(request, resolver).run();
}

}  // namespace agentctl::bwrap
