// SPDX-License-Identifier: Apache-2.0
#include "bwrap/command_lookup.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <utility>

#include "base/text.h"
#include "base/unique_fd.h"
#include "bwrap/install_tree.h"
#include "bwrap/program_header.h"

namespace agentctl::bwrap {
namespace {

constexpr int kDeepestInterpreter = 5;  // as the kernel: exec_binprm() in fs/exec.c
constexpr const char* kSnapLauncher = "/usr/bin/snap";
constexpr const char* kPathHint = "check the spelling, or type the path of the program";

Error lookup_error(int sys_errno, std::string message, std::string hint = {}) {
  Error error = make_error(ErrorKind::environment, std::move(message), std::move(hint));
  error.sys_errno = sys_errno;
  return error;
}

std::string quote(const std::string& text) { return cat("'", printable(text), "'"); }

// "'/a/link' leads to '/b', which is not there", or just "'/a' not found".
std::string absence(const PathFact& fact) {
  if (!fact.obstacle.empty()) return fact.obstacle;
  if (fact.links.empty()) return cat(quote(fact.path.str()), " not found");
  const Link& link = fact.links.back();
  return cat("the link ", quote(link.path.str()), " leads to ", quote(link.target), ", which is not there");
}

std::string read_header(const std::string& path) {
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW));
  std::string bytes(kProgramHeaderBytes, '\0');
  const ssize_t length = file.valid() ? ::read(file.get(), bytes.data(), bytes.size()) : 0;
  bytes.resize(static_cast<std::size_t>(std::max<ssize_t>(length, 0)));
  return bytes;
}

class Lookup {
 public:
  Lookup(const CommandRequest& request, PathResolver& resolver) : request_(request), resolver_(resolver) {}

  Result<CommandFact> run() {
    if (request_.words.empty() || request_.words.front().empty()) {
      return make_error(ErrorKind::usage, "no command given", "agentctl start -- COMMAND");
    }
    CommandFact fact;
    fact.words = request_.words;
    fact.program = AGENTCTL_TRY(find(request_.words.front()));
    AGENTCTL_TRY_VOID(add_needs(fact.program, request_.words.front().find('/') == std::string::npos, 0));
    fact.needs = std::move(needs_);
    return fact;
  }

 private:
  // /snap/bin/gh is a link to the launcher of all of them.
  static bool is_snap(const PathFact& fact) {
    if (starts_with_path(fact.canonical.str(), "/snap") || fact.canonical.str() == kSnapLauncher) return true;
    return std::any_of(fact.links.begin(), fact.links.end(),
                       [](const Link& link) { return link.target == kSnapLauncher; });
  }

  // The errno with which exec would refuse it, 0 if it would not.
  int refusal_of(const PathFact& fact) const {
    if (is_snap(fact)) return EACCES;
    if (fact.kind == PathKind::absent) return ENOENT;
    if (fact.kind != PathKind::file) return EACCES;
    return ::faccessat(AT_FDCWD, fact.canonical.str().c_str(), X_OK, AT_EACCESS) == 0 ? 0 : EACCES;
  }

  Error refuse(const PathFact& fact, int why) const {
    if (is_snap(fact)) {
      return lookup_error(EACCES,
                          cat("cannot run ", quote(fact.path.str()),
                              ": it is a snap, whose launcher needs privileges that nothing inside can gain"),
                          "install it another way");
    }
    const std::string name = quote(fact.path.str());
    if (why == ENOENT) return lookup_error(ENOENT, cat("cannot run ", name, ": ", absence(fact)));
    if (fact.kind == PathKind::directory) return lookup_error(EACCES, cat("cannot run ", name, ": it is a directory"));
    if (fact.kind != PathKind::file) return lookup_error(EACCES, cat("cannot run ", name, ": it is not a file"));
    return lookup_error(EACCES, cat("cannot run ", name, ": it is not executable"),
                        "chmod +x " + shell_quote(fact.canonical.str()));
  }

  Result<PathFact> find(const std::string& word) {
    if (word.find('/') == std::string::npos) return search(word);
    const PathFact fact =
        resolver_.resolve(word.starts_with('/') ? word : join_path(request_.project.logical.str(), word));
    if (const int why = refusal_of(fact)) return refuse(fact, why);
    return fact;
  }

  bool in_project(const PathFact& fact) const {
    return starts_with_path(fact.canonical.str(), request_.project.canonical.str());
  }

  // As execvp(3): the first that can be run; if none, the first that is there but cannot.
  Result<PathFact> search(const std::string& word) {
    std::optional<Error> better;
    bool passed_over = false;
    for (const std::string& directory : split(request_.search_path, ':')) {
      if (!directory.starts_with('/')) continue;
      const PathFact place = resolver_.resolve(directory);
      if (place.kind != PathKind::directory) continue;
      PathFact fact = resolver_.resolve(join_path(directory, word));
      if (fact.kind == PathKind::absent && fact.links.size() <= place.links.size()) continue;
      if (in_project(place)) {
        passed_over = true;
        continue;
      }
      const int why = refusal_of(fact);
      if (why == 0) return fact;
      if (!better || (better->sys_errno == ENOENT && why == EACCES)) better = refuse(fact, why);
    }
    if (better) return *better;
    if (!passed_over) return lookup_error(ENOENT, cat("cannot find ", quote(word), " in PATH"), kPathHint);
    return lookup_error(ENOENT, cat("cannot find ", quote(word), " in PATH outside of the project"),
                        "programs of the project are run by path only: " + shell_quote("./" + word));
  }

  // A program whose interpreter is missing is there but cannot be run.
  static Error blame_interpreter(const PathFact& script, Error error) {
    error.prepend(cat("cannot run ", quote(script.path.str()), ": its interpreter"));
    error.sys_errno = EACCES;
    return error;
  }

  Result<void> add_needs(const PathFact& program, bool through_path, int level) {
    if (level > kDeepestInterpreter) {
      return lookup_error(EACCES, cat("cannot run ", quote(program.path.str()), ": too many interpreters in a row"));
    }
    add_tree(program, through_path);
    const ProgramHeader header = parse_program_header(read_header(program.canonical.str()));
    if (header.interpreter.empty()) return {};
    Result<PathFact> interpreter =
        find(header.interpreter.find('/') == std::string::npos ? "./" + header.interpreter : header.interpreter);
    if (!interpreter) return blame_interpreter(program, std::move(interpreter).error());
    add_need(*interpreter);
    if (!header.is_script) return {};  // a loader needs nothing further
    AGENTCTL_TRY_VOID(add_needs(*interpreter, true, level + 1));
    if (!header.interpreter.ends_with("/env")) return {};
    const std::string named = program_of_env(header.arguments);
    if (named.empty()) return {};
    Result<PathFact> found = find(named);
    if (!found) return blame_interpreter(program, std::move(found).error());
    add_need(*found);
    return add_needs(*found, true, level + 1);
  }

  void add_tree(const PathFact& program, bool through_path) {
    if (is_visible(program)) return;
    const TreeRequest request{program.canonical.str(), through_path, request_.never_whole};
    const std::string tree = find_install_tree(request, resolver_);
    if (tree != program.canonical.str()) add_need(resolver_.resolve(tree));
  }

  bool is_visible(const PathFact& fact) const {
    if (in_project(fact)) return true;
    return std::any_of(request_.visible.begin(), request_.visible.end(),
                       [&](const std::string& directory) { return starts_with_path(fact.canonical.str(), directory); });
  }

  // A visible end may still be reached through links that are not.
  void add_need(const PathFact& need) {
    if (is_visible(need) && need.links.empty()) return;
    const auto same = [&](const PathFact& other) { return other.path == need.path; };
    if (std::none_of(needs_.begin(), needs_.end(), same)) needs_.push_back(need);
  }

  const CommandRequest& request_;
  PathResolver& resolver_;
  std::vector<PathFact> needs_;
};

}  // namespace

Result<CommandFact> look_up_command(const CommandRequest& request, PathResolver& resolver) {
  return Lookup(request, resolver).run();
}

}  // namespace agentctl::bwrap
