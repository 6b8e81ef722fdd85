// SPDX-License-Identifier: Apache-2.0
#include "bwrap/glob_walk.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

#include "base/clock.h"
#include "base/text.h"
#include "bwrap/default_globs.h"
#include "bwrap/directory_entries.h"
#include "bwrap/path_resolution.h"
#include "bwrap/safe_path.h"

namespace agentctl::bwrap {
namespace {

constexpr std::size_t kMostHits = 200'000;
constexpr std::size_t kMostLeftOut = 16;

// A pattern for one name; most names are told apart by the end of it.
struct NamePattern {
  explicit NamePattern(std::string_view pattern_text) : pattern(pattern_text) {
    const std::size_t special = pattern.find_last_of("*?[]\\");
    end = special == std::string_view::npos ? pattern : pattern.substr(special + 1);
  }
  [[nodiscard]] bool matches(std::string_view name) const {
    return name.ends_with(end) && policy::matches_name(pattern, name);
  }

  std::string_view pattern;
  std::string_view end;
};

using Indexes = std::vector<std::size_t>;

// The globs that may still match below a directory. Most match a name at any depth, and go on wherever the walk goes.
struct Going {
  std::shared_ptr<const Indexes> names;
  std::vector<std::pair<std::size_t, policy::Glob::State>> states;

  [[nodiscard]] bool empty() const { return names->empty() && states.empty(); }
};

struct Place {
  std::string below;  // the base, "" for itself
  std::size_t depth = 0;
  Going going;
};

class Walk {
 public:
  Walk(const std::vector<WalkedGlob>& globs, const std::string& base, std::uint64_t deadline_usec)
      : globs_(globs), base_(base), deadline_usec_(deadline_usec) {}

  Result<WalkResult> run() {
    const UniqueFd root = AGENTCTL_TRY(hold_directory(HostPath(base_)));
    result_.hits.resize(globs_.size());
    add_place("", 0, 0, start());
    for (std::size_t at = 0; at < places_.size(); ++at) {
      const Place place = std::move(places_[at]);
      AGENTCTL_TRY_VOID(read(root.get(), at, place));
    }
    return std::move(result_);
  }

 private:
  Going start() {
    Indexes names;
    Going going;
    for (std::size_t index = 0; index < globs_.size(); ++index) {
      const std::string_view name = globs_[index].glob.name_at_any_depth();
      patterns_.emplace_back(name);
      if (name.empty()) {
        going.states.emplace_back(index, globs_[index].glob.start());
      } else {
        names.push_back(index);
      }
    }
    going.names = std::make_shared<const Indexes>(std::move(names));
    return going;
  }

  void add_place(std::string below, std::size_t depth, std::size_t parent, Going going) {
    result_.directories.push_back({below.empty() ? base_ : join_path(base_, below), parent});
    places_.push_back({std::move(below), depth, std::move(going)});
  }

  Result<void> read(int root, std::size_t at, const Place& place) {
    const auto see = [&](int, const DirectoryEntry& entry) { return consider(entry, at, place); };
    const auto read = read_directory_beneath(root, place.below, see);
    if (!read) return leave_out(at, place, read.error());
    result_.directories[at].is_read = true;
    return {};
  }

  Result<void> consider(const DirectoryEntry& entry, std::size_t at, const Place& place) {
    const std::size_t first = place.going.names->empty() ? place.going.states[0].first : place.going.names->front();
    if (monotonic_usec() > deadline_usec_) return refuse(first, "takes longer than two seconds to look for");
    ++result_.directories[at].entries;
    Going next{place.going.names, {}};
    for (const std::size_t index : *place.going.names) {
      if (!patterns_[index].matches(entry.name) || !is_for(globs_[index], entry)) continue;
      AGENTCTL_TRY_VOID(add_hit(index, entry, at));
      if (entry.is_directory) next.names = without(*next.names, index);
    }
    for (const auto& [index, state] : place.going.states) {
      policy::Glob::State stepped = globs_[index].glob.step(state, entry.name);
      if (globs_[index].glob.is_match(stepped)) {
        AGENTCTL_TRY_VOID(add_hit(index, entry, at));
      } else if (entry.is_directory && globs_[index].glob.goes_on(stepped)) {
        next.states.emplace_back(index, std::move(stepped));
      }
    }
    if (!entry.is_directory) return {};
    if (place.depth >= kDefaultGlobDepth || is_left_to_tools(entry.name)) next.names = without_built_in(next.names);
    if (next.empty()) return {};
    std::string below = place.below.empty() ? std::string(entry.name) : cat(place.below, "/", entry.name);
    add_place(std::move(below), place.depth + 1, at, std::move(next));
    return {};
  }

  static bool is_for(const WalkedGlob& glob, const DirectoryEntry& entry) {
    return !glob.is_built_in || (!entry.is_directory && !is_example(entry.name));
  }

  Result<void> add_hit(std::size_t index, const DirectoryEntry& entry, std::size_t at) {
    if (++hit_count_ > kMostHits)
      return refuse(index, cat("matches, with the other globs, more than ", kMostHits, " paths"));
    result_.hits[index].push_back({at, std::string(entry.name)});
    return {};
  }

  static std::shared_ptr<const Indexes> without(Indexes indexes, std::size_t index) {
    std::erase(indexes, index);
    return std::make_shared<const Indexes>(std::move(indexes));
  }

  std::shared_ptr<const Indexes> without_built_in(const std::shared_ptr<const Indexes>& indexes) {
    const auto is_built_in = [&](std::size_t index) { return globs_[index].is_built_in; };
    if (std::none_of(indexes->begin(), indexes->end(), is_built_in)) return indexes;
    Indexes own = *indexes;
    std::erase_if(own, is_built_in);
    return std::make_shared<const Indexes>(std::move(own));
  }

  // One that went or became a link meanwhile has nothing that could be hidden by its name. What the caller may not read
  // the session, which is the caller, may not either.
  Result<void> leave_out(std::size_t at, const Place& place, const Error& error) {
    const int why = error.sys_errno;
    if (why == ENOENT || why == ENOTDIR || why == ELOOP) return {};
    const bool is_for_all = std::all_of(place.going.names->begin(), place.going.names->end(),
                                        [&](std::size_t index) { return globs_[index].is_built_in; });
    if (why == EACCES && is_for_all && place.going.states.empty()) return {};
    if (why != EXDEV && why != EACCES && why != ENAMETOOLONG) return error;
    if (result_.left_out.size() == kMostLeftOut) {
      return refuse(0, "leads to too many directories that cannot be read");
    }
    const std::string reason = why == EXDEV ? "another file system" : std::strerror(why);
    result_.left_out.push_back(cat("'", printable(result_.directories[at].path), "' (", reason, ")"));
    return {};
  }

  [[nodiscard]] Error refuse(std::size_t index, std::string_view why) const {
    return make_error(ErrorKind::policy, cat(globs_[index].rule, ": ", why),
                      "hide the directory that holds them, or name a smaller one");
  }

  const std::vector<WalkedGlob>& globs_;
  const std::string& base_;
  const std::uint64_t deadline_usec_;
  std::vector<NamePattern> patterns_;
  std::vector<Place> places_;
  std::size_t hit_count_ = 0;
  WalkResult result_;
};

}  // namespace

Result<WalkResult> walk_for_globs(const std::vector<WalkedGlob>& globs, const std::string& base,
                                  std::uint64_t deadline_usec) {
  return Walk(globs, base, deadline_usec).run();
}

}  // namespace agentctl::bwrap
