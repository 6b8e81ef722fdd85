// SPDX-License-Identifier: Apache-2.0
#include "bwrap/secret_project.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <utility>

#include "base/text.h"
#include "base/unique_fd.h"
#include "policy/secret_places.h"

namespace agentctl::bwrap {
namespace {

constexpr std::size_t kMostNamed = 3;

bool exists_at(int directory, const std::string& name) {
  char target[1];
  return ::readlinkat(directory, name.c_str(), target, sizeof target) >= 0 || errno == EINVAL;
}

bool is_named(const policy::Entries& entries, const PathFact& place, const HostFacts& facts) {
  return std::any_of(entries.begin(), entries.end(), [&](const policy::Entry& entry) {
    return expand_path(entry.text, facts.home.path.str(), facts.project.canonical.str()) == place.path.str();
  });
}

Error refuse(const HostFacts& facts, std::string_view why, std::string hint) {
  const std::string shown = printable(facts.project.canonical.str());
  return make_error(ErrorKind::policy, cat("refused to use '", shown, "' as the project: ", why), std::move(hint));
}

Error refuse_place(const HostFacts& facts, const std::string& name, const PathFact& place) {
  const bool is_it = facts.project.canonical == place.canonical;
  return refuse(facts, cat(is_it ? "it is '" : "it lies in '", name, "', a known place of secrets"),
                cat("start in the directory of a project; to work in this one all the same: --hide '!", name,
                    "', or hide = [\"!", name, "\"] in your policy"));
}

}  // namespace

std::vector<PathFact> find_secret_places(const HostFacts& facts, PathResolver& resolver) {
  std::vector<PathFact> found;
  const UniqueFd home(::open(facts.home.canonical.str().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!home.valid()) return found;
  for (const std::string_view place : policy::secret_places()) {
    const std::string name(place);
    if (!exists_at(home.get(), name)) continue;
    PathFact fact = resolver.resolve(cat(facts.home.path.str(), "/", name));
    if (fact.kind != PathKind::absent) found.push_back(std::move(fact));
  }
  return found;
}

std::string name_in_home(const PathFact& place, const HostFacts& facts) {
  return cat("~", place.path.str().substr(facts.home.path.str().size()));
}

Result<void> check_project_secrets(const policy::FileSettings& files, const HostFacts& facts) {
  const std::string& project = facts.project.canonical.str();
  std::vector<std::string> within;
  for (const PathFact& place : facts.secret_places) {
    const std::string& end = place.canonical.str();
    const bool is_around = starts_with_path(project, end);
    if ((!is_around && !starts_with_path(end, project)) || is_named(files.shown, place, facts)) continue;
    const std::string name = name_in_home(place, facts);
    if (is_around) return refuse_place(facts, name, place);
    if (!is_named(files.hide, place, facts)) within.push_back(name);
  }
  for (const policy::Entry& entry : files.hide) {
    if (!policy::is_built_in(entry.origin)) continue;
    const auto fact = facts.paths.find(expand_path(entry.text, facts.home.path.str(), project));
    if (fact == facts.paths.end()) continue;
    const bool is_there = fact->second.kind != PathKind::absent;
    if (is_there && starts_with_path(project, fact->second.canonical.str()))
      return refuse_place(facts, entry.text, fact->second);
  }
  if (within.empty()) return {};
  std::string options;
  for (const std::string& name : within) options += cat(" --hide ", name);
  return refuse(facts, cat("it holds known places of secrets: ", join_some(within, ", ", kMostNamed)),
                cat("start in a directory below it, or hide them:", options));
}

}  // namespace agentctl::bwrap
