// SPDX-License-Identifier: Apache-2.0
#include "policy/glob.h"

#include <algorithm>

#include "base/text.h"

namespace agentctl::policy {
namespace {

constexpr std::string_view kAnyDirectories = "**";
constexpr std::string_view kSpecial = "*?[\\";

// A bracket expression that starts at `at` in `pattern`: where it ends, or npos when it is not closed. "]" first is a
// member of it.
std::size_t find_end_of_set(std::string_view pattern, std::size_t at) {
  std::size_t next = at + 1;
  if (next < pattern.size() && (pattern[next] == '!' || pattern[next] == '^')) ++next;
  if (next < pattern.size() && pattern[next] == ']') ++next;
  return pattern.find(']', next);
}

bool is_in_set(std::string_view set, char c) {
  const bool is_negated = !set.empty() && (set[0] == '!' || set[0] == '^');
  if (is_negated) set.remove_prefix(1);
  const auto byte = [](char value) { return static_cast<unsigned char>(value); };
  bool found = false;
  for (std::size_t at = 0; at < set.size(); ++at) {
    if (at + 2 < set.size() && set[at + 1] == '-') {
      found = found || (byte(set[at]) <= byte(c) && byte(c) <= byte(set[at + 2]));
      at += 2;
    } else {
      found = found || set[at] == c;
    }
  }
  return found != is_negated;
}

// Matches the one element of `pattern` at `at`, which is no "*", and moves past it.
bool take_element(std::string_view pattern, std::size_t& at, char c) {
  const char first = pattern[at];
  if (first == '?') {
    ++at;
    return true;
  }
  if (first == '[') {
    const std::size_t end = find_end_of_set(pattern, at);
    if (end != std::string_view::npos) {
      const std::string_view set = pattern.substr(at + 1, end - at - 1);
      at = end + 1;
      return is_in_set(set, c);
    }
  }
  if (first == '\\' && at + 1 < pattern.size()) ++at;
  return pattern[at++] == c;
}

std::string without_escapes(std::string_view component) {
  std::string out;
  for (std::size_t at = 0; at < component.size(); ++at) {
    if (component[at] == '\\' && at + 1 < component.size()) ++at;
    out += component[at];
  }
  return out;
}

}  // namespace

bool is_glob(std::string_view path) {
  for (std::size_t at = 0; at < path.size(); ++at) {
    if (path[at] == '\\') {
      ++at;
    } else if (path[at] == '*' || path[at] == '?' ||
               (path[at] == '[' && find_end_of_set(path, at) != std::string_view::npos)) {
      return true;
    }
  }
  return false;
}

bool has_open_set(std::string_view path) {
  bool found = false;
  for_each_part(path, '/', [&](std::string_view component) {
    for (std::size_t at = 0; at < component.size(); ++at) {
      if (component[at] == '\\') {
        ++at;
      } else if (component[at] == '[') {
        const std::size_t end = find_end_of_set(component, at);
        found = found || end == std::string_view::npos;
        at = std::min(end, component.size());
      }
    }
  });
  return found;
}

std::string escape_glob(std::string_view path) {
  std::string out;
  for (const char c : path) {
    if (kSpecial.find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

// Only the last "*" is ever tried again: what came before it matched as early as it could, which leaves most for later.
bool matches_name(std::string_view pattern, std::string_view name) {
  std::size_t at = 0;
  std::size_t in_name = 0;
  std::size_t after_star = std::string_view::npos;
  std::size_t star_took_to = 0;
  while (in_name < name.size()) {
    if (at < pattern.size() && pattern[at] == '*') {
      after_star = ++at;
      star_took_to = in_name;
      continue;
    }
    if (at < pattern.size() && take_element(pattern, at, name[in_name])) {
      ++in_name;
      continue;
    }
    if (after_star == std::string_view::npos) return false;
    at = after_star;
    in_name = ++star_took_to;
  }
  while (at < pattern.size() && pattern[at] == '*') ++at;
  return at == pattern.size();
}

Glob::Glob(std::string_view path) {
  bool in_base = true;
  for (const std::string& component : split(std::string(path), '/')) {
    if (component.empty()) continue;
    in_base = in_base && !is_glob(component);
    if (in_base) {
      base_ += cat("/", without_escapes(component));
    } else if (component != kAnyDirectories || components_.empty() || components_.back() != kAnyDirectories) {
      components_.push_back(component);
    }
  }
  if (base_.empty()) base_.push_back('/');
}

std::string_view Glob::name_at_any_depth() const {
  const bool is_one = components_.size() == 2 && components_[0] == kAnyDirectories && components_[1] != kAnyDirectories;
  return is_one ? std::string_view(components_[1]) : std::string_view();
}

void Glob::close(State& state) const {
  for (std::size_t index = 0; index < state.size(); ++index) {
    const std::size_t at = state[index];
    const bool may_skip = at < components_.size() && components_[at] == kAnyDirectories && at + 1 < components_.size();
    if (may_skip && std::find(state.begin(), state.end(), at + 1) == state.end()) state.push_back(at + 1);
  }
}

Glob::State Glob::start() const {
  State state = {0};
  close(state);
  return state;
}

Glob::State Glob::step(const State& state, std::string_view name) const {
  State next;
  const auto add = [&](std::size_t at) {
    if (std::find(next.begin(), next.end(), at) == next.end()) next.push_back(at);
  };
  for (const std::size_t at : state) {
    if (at >= components_.size()) continue;
    if (components_[at] == kAnyDirectories) {
      add(at);
      if (at + 1 == components_.size()) add(at + 1);
    } else if (matches_name(components_[at], name)) {
      add(at + 1);
    }
  }
  close(next);
  return next;
}

bool Glob::is_match(const State& state) const {
  return std::find(state.begin(), state.end(), components_.size()) != state.end();
}

bool Glob::goes_on(const State& state) const {
  return std::any_of(state.begin(), state.end(), [&](std::size_t at) { return at < components_.size(); });
}

bool Glob::matches(std::string_view relative) const {
  State state = start();
  for (const std::string& name : split(std::string(relative), '/')) {
    if (name.empty()) continue;
    state = step(state, name);
    if (state.empty()) return false;
  }
  return is_match(state);
}

}  // namespace agentctl::policy
