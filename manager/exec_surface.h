// SPDX-License-Identifier: Apache-2.0
// The exec surface: files in what a session may write that somebody on the host runs or obeys later: git hooks,
// editors' tasks, package scripts, agents' settings. At the session's end they are told apart by ctime, which no
// process inside can set (it follows the clock, and that needs CAP_SYS_TIME): so a start costs nothing and the end a
// bounded walk.
//
// It is a report, no wall. What the host itself changed meanwhile is in it too. It does not see: a directory without a
// name of its own here that was moved with old files in it; what was changed and put back; more than the bounds below;
// on a network file system, changes by a server whose clock is behind.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bwrap/plan.h"

namespace agentctl::manager {

// "new": the file was made during the session (a save by rename makes one, too).
struct SurfaceFinding {
  std::string path;    // absolute
  std::string kind;    // "git hook"
  std::string run_by;  // "git"
  std::string change;  // new, changed
  std::string detail;  // git's keys, a link's target; mostly empty
};

struct SurfaceReport {
  std::vector<SurfaceFinding> findings;  // sorted by path; no more than kMostFindings
  std::size_t count = 0;                 // all that were found
  std::vector<std::string> gaps;         // what was not looked at, and why
  // New files with an x bit that no other rule names: nobody runs them unasked. The first kMostExecutables, the
  // shallow ones first, and how many there are.
  std::vector<std::string> executables;
  std::size_t executable_count = 0;
};

inline constexpr std::size_t kMostFindings = 200;
inline constexpr std::size_t kMostExecutables = 10;

// Both clocks at one moment, in nanoseconds (clock_gettime(2)): CLOCK_REALTIME_COARSE is what files are stamped with.
struct SurfaceMark {
  std::int64_t stamp = 0;
  std::int64_t boot = 0;
};
[[nodiscard]] SurfaceMark mark_surface();

// From which ctime on something counts as changed since `start`; a clock that was set back meanwhile moves it back.
// Pure.
[[nodiscard]] std::int64_t changed_since(const SurfaceMark& start, const SurfaceMark& end);

// The writable places that the host has under the same name, none of them below another. Pure.
[[nodiscard]] std::vector<std::string> surface_roots(const bwrap::Plan& plan);

struct SurfaceBounds {
  std::size_t entries = 100'000;
  std::uint64_t usec = 500'000;  // a stop is to return within a second
};

// Follows no link out of a root and enters no other file system. Never fails: what it cannot see is a gap.
[[nodiscard]] SurfaceReport report_surface(const std::vector<std::string>& roots, std::int64_t since_nsec,
                                           const SurfaceBounds& bounds = {});

}  // namespace agentctl::manager
