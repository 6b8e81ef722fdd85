// SPDX-License-Identifier: Apache-2.0
// Plan: the whole sandbox as plain data, in the order in which bwrap will build it. Made by plan_builder.h from
// HostFacts and a Policy, rendered by argv.h, held against the mount table inside by sandbox_proof.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bwrap/file_identity.h"
#include "bwrap/hidden_name.h"
#include "bwrap/own_directories.h"
#include "bwrap/paths.h"
#include "policy/policy.h"

namespace agentctl::bwrap {

// Of what stands in place of something hidden: its owner, who is the agent's user, finds it empty and cannot change it.
inline constexpr std::uint32_t kMaskFileMode = 0400;
inline constexpr std::uint32_t kMaskDirectoryMode = 0500;

enum class Access { read_only, read_write };

enum class OperationKind {
  bind,          // source -> destination, recursive
  bind_project,  // the held project descriptor -> destination
  bind_stage,    // the held stage program -> destination, read-only
  bind_device,   // a device node that works -> destination
  tmpfs,         // of at most `size` bytes
  proc,
  dev,
  directory,  // an empty directory in a tmpfs of ours
  symlink,    // `text` is the target, destination the link
  copy,       // the content of source, as a file of its own (in a tmpfs)
  data,       // `text` as a file in a tmpfs of ours that is sealed
  mask,       // an empty read-only file or directory over what the host has at source, which is destination too
  pin,        // a directory of a bound tree, mounted over itself: a mount point cannot be renamed
  remount_read_only,
};

struct Operation {
  OperationKind kind = OperationKind::bind;
  HostPath source;
  SandboxPath destination;
  Access access = Access::read_only;
  bool directory = false;  // mask: of what type it is
  bool is_node =
      false;  // remount_read_only: of a device node. bwrap would forbid to open it, the mount helper does not
  std::uint64_t size = 0;  // tmpfs, bytes; 0 leaves the kernel's default (half of RAM)
  std::uint32_t mode = 0;  // tmpfs, directory, data: permission bits; 0 is bwrap's default 0755
  std::string text;
  std::optional<FileIdentity> identity;  // bind: what was looked at, where that was proven to be what may be shown
  std::string origin;                    // which rule wanted it: "built-in default", "policy.toml:3:11"
};

// What matches a glob of [files] hide, and another entry shows it by its name.
struct ShownByName {
  std::string path;
  std::string rule;  // of the glob: "policy.toml:3:9: '**/.env'"

  friend bool operator==(const ShownByName&, const ShownByName&) = default;
};

struct Plan {
  std::vector<Operation> operations;
  policy::NetworkMode network = policy::NetworkMode::none;
  bool closes_scopes = false;  // by Landlock, which the stage does to itself: see landlock_scope.h
  bool nested = false;         // user namespaces may be made inside
  std::string hostname = "agentctl";
  std::vector<std::string> environment;  // "NAME=value", the whole of it
  std::vector<std::string> command;      // command[0] is what the user typed
  SandboxPath program;                   // what is executed: the user's own name for it, absolute
  SandboxPath working_directory;
  OwnDirectories own;        // to be prepared before bwrap starts
  std::string private_home;  // where the home that goes with the session stands; "": it is kept, or the host's
  HostPath bwrap;
  bool has_bind_fd = false;
  // Directories of the host that may be bound as a whole until what is shown of them is: see late_mounts.h.
  std::vector<std::string> late_roots;
  std::vector<std::string> hidden;         // what is masked
  std::vector<HiddenName> hidden_names;    // what is masked as soon as it is there
  std::vector<std::string> refused_names;  // what nothing may come to stand at: see refused_name.h
  std::vector<ShownByName> shown_by_name;  // what is not, though a glob matches it
  std::vector<std::string> project_rules;  // see project_rules.h
  std::vector<std::string> warnings;       // for status: "network: shared with the host"
};

}  // namespace agentctl::bwrap
