// SPDX-License-Identifier: Apache-2.0
// Glob: a pattern of [files] hide and protect, matched against paths by their components. Pure.
//   *      any text within one name, also none      ?   one character (byte) of a name
//   [a-z]  one of these; [!a-z] or [^a-z] none      **  as a whole component: any number of directories, also none
//   \x     x itself
// A name that starts with a dot is like any other. An unclosed [ stands for itself. Matching takes time in proportion
// to pattern times name, whatever they hold.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace agentctl::policy {

[[nodiscard]] bool is_glob(std::string_view path);

// Whether a component has a "[" that no "]" closes: a slip of the pen more often than a name.
[[nodiscard]] bool has_open_set(std::string_view path);

// A path as a pattern for itself: "/a/\\[x]".
[[nodiscard]] std::string escape_glob(std::string_view path);

// One component without "**" against one name.
[[nodiscard]] bool matches_name(std::string_view pattern, std::string_view name);

class Glob {
 public:
  // Of a normal path: "/home/ada/**/.env*".
  explicit Glob(std::string_view path);

  // The directory before the first component with a wildcard, "\x" undone: all that matches lies in it.
  [[nodiscard]] const std::string& base() const { return base_; }

  // NAME of "**/NAME", which is matched against every name below the base; "" for other globs.
  [[nodiscard]] std::string_view name_at_any_depth() const;

  // Where a match may go on from: after how many components. A set, for "**" stands for any number of them.
  using State = std::vector<std::size_t>;
  [[nodiscard]] State start() const;                                          // at the base
  [[nodiscard]] State step(const State& state, std::string_view name) const;  // into a child of that name
  [[nodiscard]] bool is_match(const State& state) const;
  // Whether something below may match.
  [[nodiscard]] bool goes_on(const State& state) const;

  // `relative` to the base, without a leading slash.
  [[nodiscard]] bool matches(std::string_view relative) const;

 private:
  void close(State& state) const;  // "**" stands for no directory, too

  std::string base_;
  std::vector<std::string> components_;
};

}  // namespace agentctl::policy
