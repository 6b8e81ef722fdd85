// SPDX-License-Identifier: Apache-2.0
#include "bwrap/command_lookup.h"

#include <cerrno>

#include "base/text.h"

namespace agentctl::bwrap {

Result<CommandFact> look_up_command(const CommandRequest& request, PathResolver& resolver) {
  CommandFact fact;
  fact.words = request.words;
  for (const std::string& directory : split(request.search_path, ':')) {
    if (!directory.starts_with('/')) continue;
    fact.program = resolver.resolve(join_path(directory, request.words.at(0)));
    if (fact.program.kind == PathKind::file) return fact;
  }
  Error error = make_error(ErrorKind::environment, cat("cannot find '", printable(request.words.at(0)), "' in PATH"));
  error.sys_errno = ENOENT;
  return error;
}

}  // namespace agentctl::bwrap
