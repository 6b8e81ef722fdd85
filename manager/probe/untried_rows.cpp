// SPDX-License-Identifier: Apache-2.0
#include "manager/probe/untried_rows.h"

namespace agentctl::probe {

const std::vector<UntriedRow>& untried_rows() {
  static const std::vector<UntriedRow> rows = {
      {"A7", "escape sequences in what agentctl prints", "it is agentctl's own output that must not hold them",
       "tests/unit/base/text_test.cpp"},
      {"B11", "desktop portals", "they are names on the session bus and have no socket of their own: see session-bus",
       "tests/sandbox/test_host_endpoints.py"},
      {"C17", "set-user-ID files in the project",
       "a session may make them, since they are the user's own; the receipt tells them",
       "tests/sandbox/test_exec_surface.py"},
      {"D13", "a filter that can be changed", "the kernel keeps its own copy; ours is sealed before it is loaded",
       "tests/unit/bwrap/seccomp_filter_test.cpp"},
      {"E4", "a source that is exchanged for a link during a start",
       "it is a race outside, before anything runs inside", "tests/sandbox/test_swaps.py"},
      {"E5", "a destination that is a link, planted by an earlier session",
       "it is the start that would follow it; agentctl makes nothing on the host for a mount",
       "tests/sandbox/test_homes.py"},
      {"E8", "a protected path that is a link", "the start tells it; there is no wall: see SECURITY.md",
       "tests/sandbox/test_git_protection.py"},
      {"E15", "secrets elsewhere: in git's objects, in an editor's copies",
       "nobody knows them by name; SECURITY.md says what is not hidden", "tests/sandbox/test_tracked_files.py"},
      {"E16", "secrets that are made after the start",
       "only globs of the user's own policy are watched for, and the probe has none of those",
       "tests/sandbox/test_new_matches.py"},
      {"H1", "a command that bwrap takes for options", "it is the start that would pass it on",
       "tests/sandbox/test_launch.py"},
      {"H2", "operands that look like options, NUL bytes", "as H1", "tests/unit/bwrap/argv_test.cpp"},
      {"H3", "names and texts of units", "they are made outside; the start proves the scope",
       "tests/unit/units/names_test.cpp"},
      {"H4", "a wall that is left out where it cannot stand", "such a start is refused, so that nothing runs inside",
       "tests/sandbox/test_bad_machine.py"},
      {"H5", "a policy that the project brings", "it is read before a sandbox is made", "tests/sandbox/test_trust.py"},
      {"H7", "the agent's program run without agentctl", "it is what the user's shell finds by that name", ""},
      {"H9", "a session without its supervisor", "the probe would have to kill its own; see survivor for its end",
       "tests/sandbox/test_kill_points.py"},
      {"H10", "a second program in a running session", "'agentctl probe NAME' is that: all items, entered as by exec",
       "tests/sandbox/test_exec.py"},
  };
  return rows;
}

}  // namespace agentctl::probe
