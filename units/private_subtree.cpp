// SPDX-License-Identifier: Apache-2.0
#include "units/private_subtree.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/file.h"
#include "base/text.h"
#include "units/manager_connection.h"
#include "units/subtree_removal.h"
#include "units/unit_name.h"

namespace agentctl::units {
namespace {

constexpr const char* kNeeded[] = {"cpu", "memory", "pids"};

std::string subtree_name(const std::string& session_id) { return cat("/agentctl-private-", session_id); }

bool lists_needed(const std::string& file) {
  const auto text = read_file(file);
  if (!text) return false;
  const std::vector<std::string> given = split(trim(*text), ' ');
  return std::all_of(std::begin(kNeeded), std::end(kNeeded), [&](const char* controller) {
    return std::find(given.begin(), given.end(), controller) != given.end();
  });
}

bool gives_children(const std::string& directory) { return lists_needed(cat(directory, "/cgroup.subtree_control")); }

// Whether a sibling of this cgroup would be held by the same limits as we are.
bool has_no_limits(const std::string& directory) {
  for (const char* file : {"/memory.max", "/memory.high", "/memory.swap.max", "/pids.max", "/cpu.max"}) {
    const auto text = read_file(cat(directory, file));
    if (text && !text->starts_with("max")) return false;
  }
  return true;
}

// On v2 a cgroup that holds processes, as ours does, cannot give controllers to children, unless it is the root. Beside
// us they can be had where our parent gives them, and nothing is escaped where we have no limit of our own.
Result<std::string> find_v2_base(const Hierarchy& hierarchy) {
  const std::string own = hierarchy.own_directory();
  if (gives_children(own)) return own;
  auto given = write_control_file_at(AT_FDCWD, cat(own, "/cgroup.subtree_control"), "+cpu +memory +pids");
  if (given) return own;
  if (!hierarchy.own.empty()) {
    const std::string parent = own.substr(0, own.rfind('/'));
    if (gives_children(parent) && has_no_limits(own)) return parent;
  }
  if (!lists_needed(cat(own, "/cgroup.controllers"))) {
    return make_error(
        ErrorKind::environment,
        cat("cannot run a private service manager: the cgroup '", own,
            "' has not all of the controllers cpu, memory and pids"),
        "where systemd runs use --manager system or user; else, in every cgroup above: echo '+cpu +memory "
        "+pids' > cgroup.subtree_control");
  }
  Error error = std::move(given).error();
  error.prepend("cannot give the cpu, memory and pids controllers to a cgroup of our own");
  error.kind = ErrorKind::environment;
  return std::move(error).with_hint(cat("first move every process out of it: mkdir ", own, "/init && for p in $(cat ",
                                        own, "/cgroup.procs); do echo $p > ", own,
                                        "/init/cgroup.procs; done && echo '+cpu +memory +pids' > ", own,
                                        "/cgroup.subtree_control"));
}

// A new v1 cpuset is empty, and no process may enter it so.
Result<void> copy_cpuset(const std::string& from, const std::string& to) {
  for (const char* file : {"/cpuset.cpus", "/cpuset.mems"}) {
    const auto value = read_file(cat(from, file));
    if (!value || trim(*value).empty()) continue;
    AGENTCTL_TRY_VOID(write_control_file_at(AT_FDCWD, cat(to, file), *value));
  }
  return {};
}

Error cannot_make(const std::string& directory) {
  Error error = errno_error(cat("cannot make the cgroup '", directory, "' for a private service manager"));
  error.kind = ErrorKind::environment;
  return std::move(error).with_hint(
      "cgroups must be writable: in a container mount /sys/fs/cgroup read-write, or log in "
      "where a systemd user manager runs");
}

}  // namespace

Result<PrivateSubtree> PrivateSubtree::create(const std::string& session_id) {
  if (!is_session_id(session_id)) {
    return make_error(ErrorKind::internal, cat("'", printable(session_id), "' is not the id of a session"));
  }
  PrivateSubtree subtree;
  const std::vector<Hierarchy> hierarchies = AGENTCTL_TRY(read_hierarchies());
  if (find_naming_hierarchy(hierarchies) == nullptr) {
    return make_error(ErrorKind::environment,
                      "cannot run a private service manager: no cgroups are mounted at /sys/fs/cgroup",
                      "mount -t cgroup2 none /sys/fs/cgroup");
  }
  for (const Hierarchy& hierarchy : hierarchies) {
    std::string base = hierarchy.own_directory();
    if (hierarchies.size() == 1 && hierarchy.unified) base = AGENTCTL_TRY(find_v2_base(hierarchy));
    const std::string directory = cat(base, subtree_name(session_id));
    if (::mkdir(directory.c_str(), 0755) != 0) return cannot_make(directory);  // those made so far go with `subtree`
    subtree.hierarchies_.push_back(hierarchy);
    subtree.directories_.push_back(directory);
    AGENTCTL_TRY_VOID(copy_cpuset(base, directory));
  }
  return subtree;
}

PrivateSubtree::~PrivateSubtree() {
  for (const std::string& directory : directories_) clear_cgroup(directory);
}

std::string PrivateSubtree::prefix() const {
  const Hierarchy* const naming = find_naming_hierarchy(hierarchies_);
  for (std::size_t index = 0; index < hierarchies_.size(); ++index) {
    if (&hierarchies_[index] == naming) return directories_[index].substr(naming->mount_point.size());
  }
  return {};
}

Result<void> PrivateSubtree::adopt(pid_t pid) const {
  for (std::size_t index = 0; index < hierarchies_.size(); ++index) {
    std::string target = directories_[index];
    if (hierarchies_[index].unified) target += "/init.scope";  // the top of a v2 tree must hold none
    AGENTCTL_TRY_VOID(with_context(cat("cannot hand process ", pid, " to the private service manager"),
                                   write_control_file_at(AT_FDCWD, cat(target, "/cgroup.procs"), cat(pid))));
  }
  return {};
}

void remove_private_subtree(const std::string& session_id) {
  if (!is_session_id(session_id)) return;
  const auto hierarchies = read_hierarchies();
  if (!hierarchies) return;
  for (const Hierarchy& hierarchy : *hierarchies) {
    for (const std::string& found : find_cgroups(hierarchy.mount_point, subtree_name(session_id).substr(1))) {
      clear_cgroup(found);
    }
  }
}

}  // namespace agentctl::units
