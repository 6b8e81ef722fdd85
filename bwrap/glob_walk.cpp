// SPDX-License-Identifier: Apache-2.0
#include "bwrap/glob_walk.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

#include "base/clock.h"
#include "base/text.h"
#include "bwrap/host_facts.h"
#include "bwrap/safe_path.h"

namespace agentctl::bwrap {
namespace {

constexpr std::uint64_t kLongestUsec = 2'000'000;
constexpr std::size_t kMostMatches = 4000;
constexpr std::size_t kMostLeftOut = 16;
constexpr std::string_view kWildcards = "*?[";

struct CloseDirectory {
  void operator()(DIR* directory) const { ::closedir(directory); }
};
using Directory = std::unique_ptr<DIR, CloseDirectory>;

struct Place {
  std::string below;  // the base, "" for itself
  policy::Glob::State state;
};

class Walk {
 public:
  Walk(const policy::Glob& glob, std::string base, const GlobBounds& bounds)
      : glob_(glob), base_(std::move(base)), bounds_(bounds) {}

  Result<GlobMatches> run() {
    const UniqueFd root = AGENTCTL_TRY(hold_directory(HostPath(base_)));
    places_.push_back({"", glob_.start()});
    while (!places_.empty()) {
      const Place place = std::move(places_.back());
      places_.pop_back();
      AGENTCTL_TRY_VOID(read(root.get(), place));
    }
    std::sort(found_.paths.begin(), found_.paths.end());
    return std::move(found_);
  }

 private:
  Result<void> read(int root, const Place& place) {
    auto opened = open_directory_beneath(root, place.below.empty() ? "." : place.below);
    if (!opened) return leave_out(place.below, opened.error());
    const Directory directory(::fdopendir(opened->get()));
    if (!directory) return errno_error(cat("cannot read '", printable(join_path(base_, place.below)), "'"));
    (void)opened->release();
    while (true) {
      errno = 0;
      const dirent* entry = ::readdir(directory.get());
      if (entry == nullptr) break;
      const std::string_view name = entry->d_name;
      if (name != "." && name != "..") AGENTCTL_TRY_VOID(consider(directory.get(), *entry, place));
    }
    if (errno != 0) return errno_error(cat("cannot read '", printable(join_path(base_, place.below)), "'"));
    return {};
  }

  Result<void> consider(DIR* directory, const dirent& entry, const Place& place) {
    if (monotonic_usec() > bounds_.deadline_usec) return refuse("takes longer than two seconds to look for");
    const policy::Glob::State state = glob_.step(place.state, entry.d_name);
    if (state.empty()) return {};
    std::string below = place.below.empty() ? entry.d_name : cat(place.below, "/", entry.d_name);
    if (glob_.is_match(state)) {
      if (found_.paths.size() >= bounds_.matches)
        return refuse(cat("matches, with the other globs, more than ", kMostMatches, " paths"));
      found_.paths.push_back(join_path(base_, below));
    } else if (glob_.goes_on(state) && is_directory(directory, entry)) {
      places_.push_back({std::move(below), state});
    }
    return {};
  }

  static bool is_directory(DIR* directory, const dirent& entry) {
    if (entry.d_type != DT_UNKNOWN) return entry.d_type == DT_DIR;
    struct stat status {};
    return ::fstatat(::dirfd(directory), entry.d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(status.st_mode);
  }

  // One that went or became a link meanwhile has nothing that could be hidden by its name.
  Result<void> leave_out(const std::string& below, const Error& error) {
    const int why = error.sys_errno;
    if (why == ENOENT || why == ENOTDIR || why == ELOOP) return {};
    if (why != EXDEV && why != EACCES && why != ENAMETOOLONG) return error;
    if (found_.left_out.size() == kMostLeftOut) return refuse("leads to too many directories that cannot be read");
    const std::string reason = why == EXDEV ? "another file system" : std::strerror(why);
    found_.left_out.push_back(cat("'", printable(join_path(base_, below)), "' (", reason, ")"));
    return {};
  }

  static Error refuse(std::string_view why) {
    return make_error(ErrorKind::policy, std::string(why), "hide the directory that holds them, or name a smaller one");
  }

  const policy::Glob& glob_;
  std::string base_;
  const GlobBounds& bounds_;
  std::vector<Place> places_;
  GlobMatches found_;
};

std::string escape(const std::string& path) {
  std::string out;
  for (const char c : path) {
    if (kWildcards.find(c) != std::string_view::npos || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

Result<GlobFact> look_up(const std::string& text, const GlobPlaces& places, PathResolver& resolver,
                         GlobBounds& bounds) {
  const policy::Glob glob(expand_path(text, escape(places.home), escape(places.project)));
  const std::string& base = glob.base();
  if (!starts_with_path(base, places.home) && !starts_with_path(base, places.project)) {
    return make_error(ErrorKind::policy, "must not look for matches outside of the project and the home");
  }
  PathFact start = resolver.resolve(base);
  GlobFact fact;
  if (glob.is_match(glob.start())) {
    fact.matches.push_back(std::move(start));
    return fact;
  }
  if (start.kind != PathKind::directory) return fact;
  GlobMatches found = AGENTCTL_TRY(find_matches(glob, start.canonical.str(), bounds));
  bounds.matches -= found.paths.size();
  for (const std::string& path : found.paths) fact.matches.push_back(resolver.resolve(path));
  fact.left_out = std::move(found.left_out);
  return fact;
}

}  // namespace

bool has_glob(const std::string& entry) { return entry.find_first_of(kWildcards) != std::string::npos; }

Result<GlobMatches> find_matches(const policy::Glob& glob, const std::string& base, const GlobBounds& bounds) {
  return Walk(glob, base, bounds).run();
}

Result<std::map<std::string, GlobFact>> look_up_globs(const policy::Entries& entries, const GlobPlaces& places,
                                                      PathResolver& resolver) {
  std::map<std::string, GlobFact> facts;
  GlobBounds bounds{monotonic_usec() + kLongestUsec, kMostMatches};
  for (const policy::Entry& entry : entries) {
    if (!has_glob(entry.text) || facts.contains(entry.text)) continue;
    const std::string context = cat(policy::to_string(entry.origin), ": '", printable(entry.text), "'");
    facts.emplace(entry.text, AGENTCTL_TRY(with_context(context, look_up(entry.text, places, resolver, bounds))));
  }
  return facts;
}

}  // namespace agentctl::bwrap
