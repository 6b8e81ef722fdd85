// SPDX-License-Identifier: Apache-2.0
// What may stand at the end of a command line of agentctl's: read from the tree of verbs and options that the command
// line itself is read with, so that the two cannot differ. Pure; what must be looked up is only named.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace agentctl::manager {

struct Candidate {
  std::string word;  // the whole of it, what is typed already too
  std::string help;
};

struct Expectation {
  enum class Kind {
    nothing,
    words,  // `candidates`, and no others
    running_sessions,
    known_sessions,  // those that have ended, too
    profiles,
    variables,
    hosts,
    files,
    directories,
    command,  // what the shell knows of the command that begins at word `command_at`
    unknown,  // a value that nobody has described: a mistake of ours
  };
  Kind kind = Kind::nothing;
  std::vector<Candidate> candidates;
  std::string kept;  // "--home=": the beginning of the last word, which is no part of the value
  std::size_t command_at = 0;
};

// `words`: all after "agentctl", without quotes; the last one is being typed. At least one.
[[nodiscard]] Expectation expect(const std::vector<std::string>& words);

}  // namespace agentctl::manager
