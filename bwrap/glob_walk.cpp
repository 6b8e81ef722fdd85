// SPDX-License-Identifier: Apache-2.0
#include "bwrap/glob_walk.h"

#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/clock.h"
#include "base/text.h"
#include "bwrap/directory_entries.h"
#include "bwrap/path_resolution.h"
#include "bwrap/safe_path.h"

namespace agentctl::bwrap {
namespace {

constexpr std::size_t kMostHits = 200'000;
constexpr std::size_t kMostLeftOut = 16;

struct Place {
  std::string below;  // the base, "" for itself
  GlobSet::Going going;
};

class Walk {
 public:
  Walk(const GlobSet& globs, const std::string& base, std::uint64_t deadline_usec, const BeforeReading& before)
      : globs_(globs), base_(base), deadline_usec_(deadline_usec), before_(before) {}

  Result<WalkResult> run(int root, Place first) {
    result_.hits.resize(globs_.size());
    add_place(std::move(first.below), 0, std::move(first.going));
    for (std::size_t at = 0; at < places_.size(); ++at) {
      const Place place = std::move(places_[at]);
      AGENTCTL_TRY_VOID(read(root, at, place));
    }
    return std::move(result_);
  }

 private:
  void add_place(std::string below, std::size_t parent, GlobSet::Going going) {
    result_.directories.push_back({below.empty() ? base_ : join_path(base_, below), parent});
    places_.push_back({std::move(below), std::move(going)});
  }

  Result<void> read(int root, std::size_t at, const Place& place) {
    bool is_wanted = true;
    const auto before = [&](const UniqueFd& directory) -> Result<bool> {
      if (before_) is_wanted = AGENTCTL_TRY(before_(result_.directories[at].path, directory));
      return is_wanted;
    };
    const auto see = [&](int, const DirectoryEntry& entry) { return consider(entry, at, place); };
    const auto read = read_directory_beneath(root, place.below, see, before);
    if (!read) return leave_out(at, place, read.error());
    result_.directories[at].is_read = is_wanted;
    return {};
  }

  Result<void> consider(const DirectoryEntry& entry, std::size_t at, const Place& place) {
    if (monotonic_usec() > deadline_usec_) {
      return refuse(GlobSet::first_of(place.going), "takes longer than two seconds to look for");
    }
    ++result_.directories[at].entries;
    GlobSet::Step step = globs_.step(place.going, entry.name, entry.is_directory);
    for (const std::size_t index : step.hits) AGENTCTL_TRY_VOID(add_hit(index, entry.name, at));
    if (!entry.is_directory || step.next.empty()) return {};
    std::string below = place.below.empty() ? std::string(entry.name) : cat(place.below, "/", entry.name);
    add_place(std::move(below), at, std::move(step.next));
    return {};
  }

  Result<void> add_hit(std::size_t index, std::string_view name, std::size_t at) {
    if (++hit_count_ > kMostHits) {
      return refuse(index, cat("matches, with the other globs, more than ", kMostHits, " paths"));
    }
    result_.hits[index].push_back({at, std::string(name)});
    return {};
  }

  // One that went or became a link meanwhile has nothing that could be hidden by its name. What the caller may not read
  // the session, which is the caller, may not either.
  Result<void> leave_out(std::size_t at, const Place& place, const Error& error) {
    const int why = error.sys_errno;
    if (why == ENOENT || why == ENOTDIR || why == ELOOP) return {};
    if (why == EACCES && globs_.is_built_in(place.going)) return {};
    if (why != EXDEV && why != EACCES && why != ENAMETOOLONG) return error;
    if (result_.left_out.size() == kMostLeftOut) {
      return refuse(0, "leads to too many directories that cannot be read");
    }
    const std::string reason = why == EXDEV ? "another file system" : std::strerror(why);
    result_.left_out.push_back(cat("'", printable(result_.directories[at].path), "' (", reason, ")"));
    return {};
  }

  [[nodiscard]] Error refuse(std::size_t index, std::string_view why) const {
    return make_error(ErrorKind::policy, cat(globs_.at(index).rule, ": ", why),
                      "hide the directory that holds them, or name a smaller one");
  }

  const GlobSet& globs_;
  const std::string& base_;
  const std::uint64_t deadline_usec_;
  const BeforeReading& before_;
  std::vector<Place> places_;
  std::size_t hit_count_ = 0;
  WalkResult result_;
};

}  // namespace

Result<WalkResult> walk_for_globs(const GlobSet& globs, const WalkStart& start, std::uint64_t deadline_usec,
                                  const BeforeReading& before) {
  return Walk(globs, start.base, deadline_usec, before).run(start.root, {start.below, start.going});
}

Result<WalkResult> walk_for_globs(const GlobSet& globs, const std::string& base, std::uint64_t deadline_usec) {
  const UniqueFd root = AGENTCTL_TRY(hold_directory(HostPath(base)));
  return walk_for_globs(globs, {root.get(), base, "", globs.start()}, deadline_usec, {});
}

}  // namespace agentctl::bwrap
