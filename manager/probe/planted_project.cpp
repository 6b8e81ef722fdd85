// SPDX-License-Identifier: Apache-2.0
#include "manager/probe/planted_project.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/file.h"
#include "base/text.h"
#include "manager/probe/canary_files.h"
#include "manager/probe/secret.h"

namespace agentctl::probe {
namespace {

constexpr const char* kDirectories[] = {".git",      ".git/hooks", ".git/objects", ".git/refs", ".git/refs/heads",
                                        ".git/info", "deep"};
constexpr const char* kHead = "ref: refs/heads/main\n";
constexpr const char* kConfig = "[core]\n\trepositoryformatversion = 0\n\tbare = false\n";
constexpr const char* kHook = "#!/bin/sh\n";
constexpr const char* kAttributes = "# none\n";
// What attempts make, and agentctl's new name for one of them.
constexpr const char* kMade[] = {".git/hooks/post-checkout", ".git/commondir", ".git/commondir.refused",
                                 ".git/config.probe", "linked"};

bool exists(const std::string& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0;
}

}  // namespace

std::string PlantedProject::in(std::string_view name) const { return cat(directory_, "/", name); }

Result<std::unique_ptr<PlantedProject>> PlantedProject::plant(const std::string& directory,
                                                              const std::string& outside) {
  std::unique_ptr<PlantedProject> project(new PlantedProject(directory, outside));
  for (std::string* secret : {&project->env_secret_, &project->key_secret_, &project->old_secret_,
                              &project->new_secret_, &project->deleted_secret_, &project->later_secret_}) {
    *secret = AGENTCTL_TRY(make_secret());
  }
  AGENTCTL_TRY_VOID(project->write());
  return project;
}

Result<void> PlantedProject::write() const {
  if (exists(in(".git-aside")) && !exists(in(".git"))) ::rename(in(".git-aside").c_str(), in(".git").c_str());
  for (const char* name : kMade) ::unlink(in(name).c_str());
  for (const char* name : kDirectories) {
    if (::mkdir(in(name).c_str(), 0700) != 0 && errno != EEXIST)
      return errno_error(cat("cannot make '", in(name), "'"));
  }
  const std::pair<const char*, std::string> files[] = {
      {".git/HEAD", kHead},
      {".git/config", kConfig},
      {".git/hooks/pre-commit", kHook},
      {".git/info/attributes", kAttributes},
      {".env", cat("API_TOKEN=", env_secret_, "\n")},
      {"deep/server.key", cat(key_secret_, "\n")},
      {"replaced.key", cat(old_secret_, "\n")},
      {"deleted.key", cat(deleted_secret_, "\n")},
  };
  for (const auto& [name, content] : files) AGENTCTL_TRY_VOID(write_file(in(name), content, 0600));
  if (!exists(in("link-out")) && ::symlink(cat(outside_, "/secret").c_str(), in("link-out").c_str()) != 0)
    return errno_error(cat("cannot make '", in("link-out"), "'"));
  return {};
}

void PlantedProject::describe(Planted& planted) const {
  planted.tell("planted", "yes");
  planted.secrets["hidden-file"] = {env_secret_};
  planted.secrets["hidden-key"] = {key_secret_};
  planted.secrets["replaced-file"] = {old_secret_, new_secret_};
  planted.secrets["deleted-file"] = {deleted_secret_, later_secret_};
  planted.paths["hidden-file"] = in(".env");
  planted.paths["hidden-key"] = in("deep/server.key");
  planted.paths["replaced-file"] = in("replaced.key");
  planted.paths["deleted-file"] = in("deleted.key");
}

void PlantedProject::look(Evidence& evidence) {
  const auto differs = [&](const char* name, std::string_view content) {
    const auto text = read_file(in(name));
    return !text || *text != content;
  };
  if (differs(".git/hooks/pre-commit", kHook)) evidence.effects.insert("hook-write");
  if (exists(in(".git/hooks/post-checkout"))) evidence.effects.insert("hook-make");
  if (differs(".git/info/attributes", kAttributes)) evidence.effects.insert("git-attributes");
  if (exists(in(".git/commondir"))) evidence.effects.insert("git-commondir");
  // One attempt adds a line to the file, the next replaces it by one with another line, a third uses another name.
  const auto config = read_file(in(".git/config"));
  if (!config || config->find("#Z") != std::string::npos) evidence.effects.insert("git-config");
  if (!config || config->find("#Y") != std::string::npos) evidence.effects.insert("git-config-replace");
  if (!config || config->find("#X") != std::string::npos) evidence.effects.insert("git-case");
}

Result<void> PlantedProject::replace_hidden_files() const {
  const std::string made = in("replaced.key.new");
  AGENTCTL_TRY_VOID(write_file(made, cat(new_secret_, "\n"), 0600));
  if (::rename(made.c_str(), in("replaced.key").c_str()) != 0) return errno_error("cannot replace a file");
  if (::unlink(in("deleted.key").c_str()) != 0) return errno_error("cannot delete a file");
  return write_file(in("deleted.key"), cat(later_secret_, "\n"), 0600);
}

}  // namespace agentctl::probe
