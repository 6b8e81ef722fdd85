// SPDX-License-Identifier: Apache-2.0
// What the kernel would look for besides a program itself: the interpreter of a "#!" line or of an ELF file. Pure; the
// bytes come from a file that anybody may have written.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace agentctl::bwrap {

inline constexpr std::size_t kProgramHeaderBytes = 4096;

struct ProgramHeader {
  std::string interpreter;             // absolute or not, as written; "" when there is none
  std::vector<std::string> arguments;  // what follows it, split at blanks: only `env` is looked at closer
  bool is_script = false;
};

[[nodiscard]] ProgramHeader parse_program_header(std::string_view bytes);

// The program that `env ARGUMENTS…` would run: after options and assignments; "" when it cannot be told.
[[nodiscard]] std::string program_of_env(const std::vector<std::string>& arguments);

}  // namespace agentctl::bwrap
