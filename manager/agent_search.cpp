// SPDX-License-Identifier: Apache-2.0
#include "manager/agent_search.h"

#include <unistd.h>

#include <cstdlib>

#include "base/text.h"
#include "bwrap/user_programs.h"

namespace agentctl::manager {
namespace {

bool is_program(const std::string& path, bwrap::PathResolver& resolver) {
  return resolver.resolve(path).kind == bwrap::PathKind::file && ::access(path.c_str(), X_OK) == 0;
}

}  // namespace

std::string find_agent(const std::string& word, bwrap::PathResolver& resolver) {
  if (word.find('/') != std::string::npos)
    return word.starts_with('/') && is_program(word, resolver) ? word : std::string();
  const char* path = ::getenv("PATH");
  const char* home = ::getenv("HOME");
  std::vector<std::string> directories = split(path == nullptr ? "" : path, ':');
  if (home != nullptr && home[0] == '/') {
    for (std::string& directory : bwrap::user_program_directories(home, resolver))
      directories.push_back(std::move(directory));
  }
  for (const std::string& directory : directories) {
    std::string program = cat(directory, "/", word);
    if (directory.starts_with('/') && is_program(program, resolver)) return program;
  }
  return {};
}

}  // namespace agentctl::manager
