// SPDX-License-Identifier: Apache-2.0
// HostFacts: what the plan needs to know of this machine, gathered once, as plain data, so that planning is pure and a
// test can write down any machine. Looking does not hold anything: what matters for safety (the project, the stage) is
// opened again by descriptor and proven there.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "bwrap/file_identity.h"
#include "bwrap/glob_tree.h"
#include "bwrap/host_mounts.h"
#include "bwrap/paths.h"
#include "policy/limits.h"
#include "policy/policy.h"

namespace agentctl::bwrap {

class GlobWatch;

enum class PathKind { absent, file, directory, socket, other };

struct Link {
  HostPath path;       // where the symbolic link stands (its parent canonical)
  std::string target;  // its text
  std::string rest{};  // of the path, as it was still to be followed: "a/b"
};

// One path, resolved component by component: the links met on the way, and where it ends.
struct PathFact {
  HostPath path;       // as named
  HostPath canonical;  // without links; empty when absent
  PathKind kind = PathKind::absent;
  bool has_other_names = false;  // a file, and more than one hard link leads to it
  std::vector<Link> links;       // in the order met
  std::optional<FileIdentity>
      identity{};      // of what a policy grants, reached without a link: held against what is bound
  HostPath missing{};  // absent: where the path would go on
  HostPath present{};  // absent: the last directory on the way there that is there
  std::string
      obstacle{};  // the mount that did not answer, in words, where it could not be looked at: it counts as absent
};

// The command, found through PATH and followed to the end of its link chain, with what it needs to run: "#!"
// interpreters (also through /usr/bin/env) and the install tree around it (npm package root, version directory).
struct CommandFact {
  std::vector<std::string> words;  // as the user typed them
  PathFact program;                // words[0]
  std::vector<PathFact> needs;     // further paths to make visible read-only
};

struct BwrapFact {
  HostPath path;             // absolute, from a fixed list of directories, owned by root, not set-uid
  std::string version;       // "0.8.0"
  bool has_bind_fd = false;  // --bind-fd, --ro-bind-fd
};

struct ProjectFact {
  HostPath logical;  // as the user sees it ($PWD or -C), links kept
  HostPath canonical;
};

// What git on the host takes for the project's repository, as far as that proves itself: see git_repository.h.
struct GitFact {
  struct Guard {
    PathFact fact;
    std::string origin;  // of the policy's entry, or "git"
  };
  struct Missed {
    PathFact fact;
    std::string purpose;  // "which your git configuration runs"
  };
  std::optional<FileIdentity> identity;  // of the first that is granted, from which it was proven
  std::vector<PathFact> granted;         // directories outside of the project that git must be able to write
  std::vector<std::string> refused;      // names in their directories that nothing may get: see refused_name.h
  std::vector<Guard> guarded;            // what stays read-only in them and in the project
  std::vector<PathFact> covered;         // what lies in a granted directory and is no part of the repository
  std::vector<PathFact> named;           // paths as git's own files name them: they must lead inside to the same places
  PathFact above;                        // the `.git` above a project that has none; absent else
  std::vector<PathFact> read;            // files that the user's own git configuration names
  std::vector<Missed> missed;            // what git would use and only the user can show
  bool has_other_worktrees = false;      // some of `guarded` are whole gitdirs of other working trees
  std::optional<std::string> ignore_list;  // core.excludesFile of the user's own git configuration, as it stands there
  std::vector<std::string> warnings;       // why something was not granted
};

// What a glob matches: see glob_lookup.h.
struct GlobFact {
  std::vector<PathFact> matches;
  std::vector<Collapsed> collapsed;   // those of them that are directories in which everything matches
  std::vector<std::string> left_out;  // directories that could not be looked into, and why
  HostPath begins;                    // where it begins, without links, or the last directory above that is there
};

// A hidden file that can be read by other names, too: see other_names.h.
struct OtherNames {
  std::uint64_t count = 0;      // of all its names
  std::vector<PathFact> found;  // those in the project but for its own
};

// What git knows of something hidden: see tracked_files.h.
struct TrackedFact {
  enum class State { unchanged, changed, unknown } state = State::unknown;
  std::string file;  // what is tracked: the place itself, or the first file in it
  std::string why;   // unknown: what could not be read
  std::string hint;
};

// A hidden file that git does not track: see tracked_files.h.
struct UntrackedFact {
  std::string below;            // the top of the working tree around it, else the project: "a/.env"
  bool is_ignored = false;      // a .gitignore or info/exclude says so
  bool overrides_list = false;  // one of them has it not ignored, or the repository has an ignore list of its own
};

// The user's own ignore list: see ignore_list.h.
struct IgnoreListFact {
  PathFact fact;  // absent: there is none
  std::string text;
  std::string fault;  // why it cannot be used
};

struct HostFacts {
  uid_t uid = 0;
  gid_t gid = 0;
  std::string user;
  PathFact home;  // from $HOME, else passwd
  ProjectFact project;
  GitFact git;
  BwrapFact bwrap;
  CommandFact command;
  policy::MachineSize machine;
  bool home_has_mounts = false;        // something is mounted in the home
  std::vector<PathFact> root_entries;  // /bin /sbin /lib /lib32 /lib64 /libx32 /usr and, if present, /opt /nix /gnu …
  std::map<std::string, PathFact> paths;  // every path the policy or the default layout names, by its expanded name
  // Directories to show entry by entry, by canonical name: see home_layout.h.
  std::map<std::string, std::vector<PathFact>> split;
  std::map<std::string, GlobFact> globs;            // of [files] hide, by the text of the entry
  std::map<std::string, GlobFact> protected_globs;  // of [files] protect
  std::map<std::string, OtherNames> other_names;    // of what is hidden, by canonical name
  std::map<std::string, TrackedFact> tracked;       // of what is hidden, by canonical name
  std::map<std::string, UntrackedFact> untracked;   // of hidden files in the project, by canonical name
  IgnoreListFact ignore_list;                       // read only where something is hidden in the project
  std::vector<PathFact> secret_places;              // known ones that exist: see secret_project.h, shown_secrets.h
  std::map<std::string, std::string> near_names;    // of named paths that are not there: see near_name.h
  std::vector<PathFact> home_secrets;               // to be hidden in a read-only home: see home_secrets.h
  std::map<std::string, std::string> environment;   // the caller's
  bool has_landlock_scopes = false;         // the kernel: see landlock_scope.h; asked where the network is shared
  std::string x_socket;                     // of the caller's X display, when a shared network reaches it
  std::vector<std::string> user_programs;   // directories of the user's own programs that are not in PATH
  std::set<std::string> certificate_files;  // of those that the environment names: what holds nothing else
  std::vector<SilentMount> silent_mounts;   // below what may be shown
  std::vector<PathFact> served_sockets;     // the same: see served_sockets.h
  std::string config_dir;                   // ~/.config/agentctl
  std::string state_dir;                    // ~/.local/state/agentctl
};

// "~/x", "$HOME/x", "./x" or "/x" as an absolute, lexically normal path; relative ones count from the project.
[[nodiscard]] std::string expand_path(const std::string& text, const std::string& home, const std::string& project);

struct FactsRequest {
  std::string project;  // -C, or "" for the current directory
  std::vector<std::string> command;
  const policy::Policy& policy;
  HostMounts* mounts = nullptr;  // of this machine
  GlobWatch* watch = nullptr;    // to go on looking for what globs match; none: the facts are for looking only
};

// Errors: project missing or not a directory, no bwrap or an unsafe one, command not found (kind environment with
// sys_errno ENOENT) or not executable (EACCES).
[[nodiscard]] Result<HostFacts> gather_host_facts(const FactsRequest& request);
[[nodiscard]] PathFact resolve_path(const std::string& absolute_path);

}  // namespace agentctl::bwrap
