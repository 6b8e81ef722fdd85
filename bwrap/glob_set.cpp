// SPDX-License-Identifier: Apache-2.0
#include "bwrap/glob_set.h"

#include <algorithm>

#include "base/text.h"
#include "bwrap/default_globs.h"

namespace agentctl::bwrap {
namespace {

std::shared_ptr<const GlobSet::Indexes> without(GlobSet::Indexes indexes, std::size_t index) {
  std::erase(indexes, index);
  return std::make_shared<const GlobSet::Indexes>(std::move(indexes));
}

bool takes_any_case(const WalkedGlob& glob) { return glob.is_built_in || glob.any_case; }

bool has_upper_case(std::string_view name) {
  return std::any_of(name.begin(), name.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
}

}  // namespace

GlobSet::NamePattern::NamePattern(std::string text) : pattern(std::move(text)) {
  const std::size_t special = pattern.find_last_of("*?[]\\");
  end = special == std::string::npos ? pattern : pattern.substr(special + 1);
}

bool GlobSet::NamePattern::matches(std::string_view name) const {
  return name.ends_with(end) && policy::matches_name(pattern, name);
}

GlobSet::GlobSet(std::vector<WalkedGlob> globs) : globs_(std::move(globs)) {
  Indexes names;
  for (std::size_t index = 0; index < globs_.size(); ++index) {
    const std::string_view name = globs_[index].glob.name_at_any_depth();
    patterns_.emplace_back(takes_any_case(globs_[index]) ? ascii_lower(name) : std::string(name));
    if (name.empty()) {
      start_.states.emplace_back(index, globs_[index].glob.start());
    } else {
      names.push_back(index);
    }
  }
  start_.names = std::make_shared<const Indexes>(std::move(names));
}

GlobSet::Step GlobSet::step(const Going& going, std::string_view name, bool is_directory) const {
  Step step;
  step.next.depth = going.depth + 1;
  step.next.names = going.names;
  const std::string lower = has_upper_case(name) ? ascii_lower(name) : std::string();
  const Name both{name, lower.empty() ? name : std::string_view(lower)};
  for (const std::size_t index : *going.names) {
    if (!matches(index, both, is_directory)) continue;
    step.hits.push_back(index);
    if (is_directory) step.next.names = without(*step.next.names, index);
  }
  for (const auto& [index, state] : going.states) {
    policy::Glob::State stepped = globs_[index].glob.step(state, name);
    if (globs_[index].glob.is_match(stepped)) {
      step.hits.push_back(index);
    } else if (is_directory && globs_[index].glob.goes_on(stepped)) {
      step.next.states.emplace_back(index, std::move(stepped));
    }
  }
  if (is_directory && (going.depth >= kDefaultGlobDepth || is_left_to_tools(name))) {
    step.next.names = without_built_in(step.next.names);
  }
  return step;
}

std::size_t GlobSet::first_of(const Going& going) {
  return going.names->empty() ? going.states.front().first : going.names->front();
}

bool GlobSet::is_built_in(const Going& going) const {
  return going.states.empty() && std::all_of(going.names->begin(), going.names->end(),
                                             [&](std::size_t index) { return globs_[index].is_built_in; });
}

bool GlobSet::matches(std::size_t index, const Name& name, bool is_directory) const {
  const WalkedGlob& glob = globs_[index];
  if (!patterns_[index].matches(takes_any_case(glob) ? name.lower : name.text)) return false;
  return !glob.is_built_in || (!is_directory && !is_example(name.lower));
}

std::shared_ptr<const GlobSet::Indexes> GlobSet::without_built_in(const std::shared_ptr<const Indexes>& indexes) const {
  const auto is_built_in = [&](std::size_t index) { return globs_[index].is_built_in; };
  if (std::none_of(indexes->begin(), indexes->end(), is_built_in)) return indexes;
  Indexes own = *indexes;
  std::erase_if(own, is_built_in);
  return std::make_shared<const Indexes>(std::move(own));
}

}  // namespace agentctl::bwrap
