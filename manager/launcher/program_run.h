// SPDX-License-Identifier: Apache-2.0
// Running another program of the user's desktop and waiting for it: posix_spawn(3), no shell. It gets the caller's
// environment and standard error, nothing on its standard input, and signals as any program expects them.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/result.h"

namespace agentctl::launcher {

struct SpawnRequest {
  std::vector<std::string> argv;  // the first an absolute path
  int standard_input = -1;        // -1: /dev/null
  int standard_output = -1;       // -1: as ours
  int standard_error = -1;        // -1: as ours
  bool own_session = false;       // setsid(2): neither our terminal's signals nor its end reach it
};
[[nodiscard]] Result<pid_t> spawn(const SpawnRequest& request);

// The exit status of a child that has ended or will, 128+n for signal n.
[[nodiscard]] Result<int> await_exit(pid_t pid);

struct ProgramEnd {
  int status = 0;
  std::string output;  // of its standard output, at most 64 KiB
};
[[nodiscard]] Result<ProgramEnd> run_program(const std::vector<std::string>& argv, bool with_errors = false);

// In $PATH, or where a POSIX system has its programs if that is not set; a name with a slash is a path. "" for none.
[[nodiscard]] std::string find_program(const std::string& name);

}  // namespace agentctl::launcher
