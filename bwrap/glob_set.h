// SPDX-License-Identifier: Apache-2.0
// GlobSet: globs of one base, matched together on the way down from it, name by name. Pure.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "policy/glob.h"

namespace agentctl::bwrap {

struct WalkedGlob {
  policy::Glob glob;
  std::string rule;          // for people: "policy.toml:3:9: '**/.env'"
  bool is_built_in = false;  // looks only where default_globs.h says, and takes "A" for "a"
  bool any_case = false;     // takes "A" for "a" all the same; of "**/NAME" alone
};

class GlobSet {
 public:
  using Indexes = std::vector<std::size_t>;

  // The globs that may still match in a directory. Most match a name at any depth, and go on wherever the way goes.
  struct Going {
    std::size_t depth = 0;  // below the base
    std::shared_ptr<const Indexes> names;
    std::vector<std::pair<std::size_t, policy::Glob::State>> states;

    [[nodiscard]] bool empty() const { return names->empty() && states.empty(); }
  };
  struct Step {
    Indexes hits;  // the globs that the name matches
    Going next;    // into it; only of a directory
  };

  explicit GlobSet(std::vector<WalkedGlob> globs);
  GlobSet(const GlobSet&) = delete;
  GlobSet& operator=(const GlobSet&) = delete;
  GlobSet(GlobSet&&) = default;
  GlobSet& operator=(GlobSet&&) = default;
  ~GlobSet() = default;

  [[nodiscard]] std::size_t size() const { return globs_.size(); }
  [[nodiscard]] const WalkedGlob& at(std::size_t index) const { return globs_[index]; }

  [[nodiscard]] Going start() const { return start_; }  // at the base
  [[nodiscard]] Step step(const Going& going, std::string_view name, bool is_directory) const;
  // One of those that may match there, and whether all of them are built in.
  [[nodiscard]] static std::size_t first_of(const Going& going);
  [[nodiscard]] bool is_built_in(const Going& going) const;

 private:
  // A pattern for one name; most names are told apart by the end of it.
  struct NamePattern {
    explicit NamePattern(std::string text);
    [[nodiscard]] bool matches(std::string_view name) const;

    std::string pattern;
    std::string end;
  };
  struct Name {
    std::string_view text;
    std::string_view lower;
  };

  [[nodiscard]] bool matches(std::size_t index, const Name& name, bool is_directory) const;
  [[nodiscard]] std::shared_ptr<const Indexes> without_built_in(const std::shared_ptr<const Indexes>& indexes) const;

  std::vector<WalkedGlob> globs_;
  std::vector<NamePattern> patterns_;
  Going start_;
};

}  // namespace agentctl::bwrap
