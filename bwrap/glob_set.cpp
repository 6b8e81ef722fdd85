// SPDX-License-Identifier: Apache-2.0
#include "bwrap/glob_set.h"

#include <algorithm>

#include "bwrap/default_globs.h"

namespace agentctl::bwrap {
namespace {

std::shared_ptr<const GlobSet::Indexes> without(GlobSet::Indexes indexes, std::size_t index) {
  std::erase(indexes, index);
  return std::make_shared<const GlobSet::Indexes>(std::move(indexes));
}

}  // namespace

GlobSet::NamePattern::NamePattern(std::string_view text) : pattern(text) {
  const std::size_t special = pattern.find_last_of("*?[]\\");
  end = special == std::string_view::npos ? pattern : pattern.substr(special + 1);
}

bool GlobSet::NamePattern::matches(std::string_view name) const {
  return name.ends_with(end) && policy::matches_name(pattern, name);
}

GlobSet::GlobSet(std::vector<WalkedGlob> globs) : globs_(std::move(globs)) {
  Indexes names;
  for (std::size_t index = 0; index < globs_.size(); ++index) {
    const std::string_view name = globs_[index].glob.name_at_any_depth();
    patterns_.emplace_back(name);
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
  for (const std::size_t index : *going.names) {
    if (!matches(index, name, is_directory)) continue;
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

bool GlobSet::matches(std::size_t index, std::string_view name, bool is_directory) const {
  if (!patterns_[index].matches(name)) return false;
  return !globs_[index].is_built_in || (!is_directory && !is_example(name));
}

std::shared_ptr<const GlobSet::Indexes> GlobSet::without_built_in(const std::shared_ptr<const Indexes>& indexes) const {
  const auto is_built_in = [&](std::size_t index) { return globs_[index].is_built_in; };
  if (std::none_of(indexes->begin(), indexes->end(), is_built_in)) return indexes;
  Indexes own = *indexes;
  std::erase_if(own, is_built_in);
  return std::make_shared<const Indexes>(std::move(own));
}

}  // namespace agentctl::bwrap
