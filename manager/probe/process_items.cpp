// SPDX-License-Identifier: Apache-2.0
#include "manager/probe/item.h"

namespace agentctl::probe {
namespace {

constexpr std::string_view kPids = "--unshare-pid --proc /proc";
constexpr std::string_view kKeys = "a new session keyring before bwrap, and seccomp for keyctl, add_key, request_key";
constexpr std::string_view kClose = "close_range(3, …) in the child before bwrap is executed";

}  // namespace

const std::vector<Item>& process_items() {
  static const std::vector<Item> items = {
      {"arguments", "C1", "read arguments of the host's processes", "passwords stand there", "", kPids,
       Witness::secret},
      {"environments", "C2", "read the environment of other processes",
       "tokens stand there, also in that of bwrap itself", "bubblewrap#725",
       "execute bwrap with a clean environment, not --clearenv", Witness::secret},
      {"layout-arguments", "C3", "read how the sandbox was made", "what is hidden, and where; values of --setenv", "",
       "give bwrap its options by --args"},
      {"trace", "C4", "trace a process of the host", "becomes it", "", kPids},
      {"memory", "C4", "read memory of a process of the host", "keys and tokens", "", kPids, Witness::secret},
      {"memory-file", "C4", "read it through /proc/PID/mem", "keys and tokens", "", kPids, Witness::secret},
      {"descriptor", "C4", "take a descriptor out of a process of the host", "its files and connections", "", kPids},
      {"limits-of", "C4", "read limits of a process of the host", "tells of it, and can change them", "", kPids},
      {"priority-of", "C4", "set the priority of a process of the host", "slows the user down", "", kPids},
      {"key-read", "C5", "read a key of the user's session keyring", "keyrings follow credentials, not namespaces", "",
       kKeys, Witness::secret},
      {"key-plant", "C5", "plant a key in the user's session keyring", "who looks for it there takes the agent's", "",
       kKeys, Witness::either},
      {"key-list", "C5", "see the user's keys listed", "names of mounts, realms, servers", "",
       "mask /proc/keys: --ro-bind /dev/null /proc/keys after --proc", Witness::report, Opening::nested},
      {"signal", "C6", "signal a process of the host", "ends it", "", kPids, Witness::effect},
      {"descriptors", "C7", "find descriptors that were left open", "each is a way out", "CVE-2024-21626", kClose},
      {"descriptor-read", "C7", "read files through an inherited directory", "mounts do not count for it",
       "CVE-2024-21626", kClose, Witness::secret},
      {"descriptor-write", "C7", "write files through an inherited directory", "read-only mounts do not count for it",
       "CVE-2024-21626", kClose, Witness::effect},
      {"working-directory", "C8", "be in the caller's directory", "a directory is a descriptor, too", "",
       "--chdir to the project", Witness::secret},
      {"core-dump", "C9", "dump core", "handlers of the host's run as root on what the agent left in memory", "",
       "RLIMIT_CORE 0, hard, before bwrap"},
      {"kernel-log", "C10", "read the kernel's log", "addresses, devices, what other programs did", "",
       "refuse syslog by seccomp"},
      {"machine-id", "C10", "read the machine's identity", "ties sessions to a machine and a person", "",
       "do not show /etc/machine-id"},
      {"hardware", "C10", "read what /sys tells of the machine", "addresses, serial numbers, disks", "",
       "do not show /sys, or little of it"},
      {"home-watch", "C11", "watch what the user does in the home", "which files are opened, and when", "",
       "a home of the sandbox's own", Witness::report, Opening::home},
      {"weaker-process", "C12", "find a process with fewer walls", "does for the agent what that may not do", "",
       "no helper inside the sandbox"},
      {"program-file", "C13", "write to a running program's file", "the next one that runs it runs the agent's code",
       "CVE-2019-5736", "bwrap and helpers that belong to root"},
      {"tasks", "C14", "start processes without end", "the machine stands still", "", "TasksMax= on a scope",
       Witness::report, Opening::limits},
      {"zombies", "C14", "leave dead processes without end", "no number is left for another", "",
       "TasksMax= on a scope", Witness::report, Opening::limits},
      {"memory-limit", "C14", "use up the memory", "the machine swaps, and others are killed", "",
       "MemoryMax= and MemorySwapMax=0 on a scope", Witness::report, Opening::limits},
      {"tmpfs-size", "C14", "have a tmpfs as large as half the memory", "files there are memory", "",
       "--size before each --tmpfs, also for /dev/shm"},
      {"cgroup-files", "C15", "move processes between cgroups", "leaves its limits", "",
       "do not show /sys/fs/cgroup, or read-only"},
      {"new-privileges", "C18", "gain privileges by set-user-ID programs", "sudo, su and every fault in them", "",
       "no_new_privs, which bwrap sets"},
      {"capabilities", "C18", "hold a capability", "each opens code of the kernel", "", "--cap-drop ALL"},
  };
  return items;
}

}  // namespace agentctl::probe
