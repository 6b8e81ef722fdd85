// SPDX-License-Identifier: Apache-2.0
// What the deny filter refuses, each with its reason. Read at build time only, by seccomp_compiler.cpp.
// Deliberately allowed: ptrace and process_vm_readv (debuggers and leak checkers; bounded by the pid namespace, in
// which no helper of ours runs), personality (gdb turns address randomisation off), name_to_handle_at, memfd_secret,
// mbind and set_mempolicy (JVM, numactl), landlock_*, seccomp, inotify, statmount and listmount (own mount namespace
// only).
#pragma once

#include <cerrno>

namespace agentctl::bwrap {

// The highest system call number reviewed for this release (file_getattr). Reviewed above what libseccomp 2.5.4 knows:
//   451 cachestat  452 fchmodat2  453 map_shadow_stack  454 futex_wake  455 futex_wait  456 futex_requeue
//   457 statmount  458 listmount  459 lsm_get_self_attr  460 lsm_set_self_attr  461 lsm_list_modules  462 mseal
//   463 setxattrat  464 getxattrat  465 listxattrat  466 removexattrat: files and memory that the caller may touch
//   anyway 467 open_tree_attr: refused below, like open_tree 468 file_getattr: reads attributes of files in view
inline constexpr unsigned kHighestReviewedCall = 468;

struct CallRule {
  const char* name;
  int raw_number;  // for calls that libseccomp may not know by name, the same on all architectures; else -1
  int error;
  const char* reason;
};

inline constexpr CallRule kCallRules[] = {
    {"add_key", -1, EPERM, "keyrings are not namespaced: a key could be planted in the user's session"},
    {"keyctl", -1, EPERM, "keyrings are not namespaced: keys of the user's session could be read"},
    {"request_key", -1, EPERM, "keyrings are not namespaced, and it may start a helper on the host"},
    {"bpf", -1, EPERM, "large kernel surface, no use without privileges"},
    {"perf_event_open", -1, EPERM, "large kernel surface, sees other processes' timing"},
    {"userfaultfd", -1, EPERM, "makes races in the kernel easy to win"},
    {"kexec_load", -1, EPERM, "replaces the kernel"},
    {"kexec_file_load", -1, EPERM, "replaces the kernel"},
    {"init_module", -1, EPERM, "loads kernel code"},
    {"finit_module", -1, EPERM, "loads kernel code"},
    {"delete_module", -1, EPERM, "unloads kernel code"},
    {"create_module", -1, EPERM, "loads kernel code"},
    {"reboot", -1, EPERM, "acts on the machine"},
    {"swapon", -1, EPERM, "acts on the machine"},
    {"swapoff", -1, EPERM, "acts on the machine"},
    {"acct", -1, EPERM, "acts on the machine"},
    {"quotactl", -1, EPERM, "acts on file systems of the host"},
    {"quotactl_fd", -1, EPERM, "acts on file systems of the host"},
    {"syslog", -1, EPERM, "reads the kernel's log"},
    {"uselib", -1, EPERM, "obsolete, rarely tested"},
    {"lookup_dcookie", -1, EPERM, "obsolete, tells paths of the host"},
    {"vhangup", -1, EPERM, "acts on the terminal"},
    {"iopl", -1, EPERM, "gives access to hardware"},
    {"ioperm", -1, EPERM, "gives access to hardware"},
    {"modify_ldt", -1, EPERM, "rarely used, a source of kernel faults"},
    {"nfsservctl", -1, EPERM, "obsolete"},
    {"_sysctl", -1, EPERM, "obsolete"},
    {"sysfs", -1, EPERM, "obsolete"},
    {"ustat", -1, EPERM, "obsolete"},
    {"settimeofday", -1, EPERM, "acts on the machine"},
    {"clock_settime", -1, EPERM, "acts on the machine"},
    {"clock_adjtime", -1, EPERM, "acts on the machine"},
    {"adjtimex", -1, EPERM, "acts on the machine"},
    {"setns", -1, EPERM, "leaves the namespaces of the sandbox"},
    {"mount", -1, EPERM, "changes the layout; reachable only with a new user namespace"},
    {"umount2", -1, EPERM, "uncovers what a mask hides"},
    {"pivot_root", -1, EPERM, "changes the layout"},
    {"chroot", -1, EPERM, "changes the layout"},
    {"open_by_handle_at", -1, EPERM, "opens files by number, past every mount"},
    {"pidfd_getfd", -1, EPERM, "takes descriptors out of other processes"},
    {"fanotify_init", -1, EPERM, "watches whole mounts, those of the host too"},
    {"kcmp", -1, EPERM, "tells kernel addresses apart"},
    {"sethostname", -1, EPERM, "the name shows that it is a sandbox"},
    {"setdomainname", -1, EPERM, "the name shows that it is a sandbox"},
    {"move_pages", -1, EPERM, "acts on memory of other processes"},
    {"migrate_pages", -1, EPERM, "acts on memory of other processes"},
    {"clone3", -1, ENOSYS, "its flags lie in memory that a filter cannot read; libraries fall back to clone"},
    {"open_tree", 428, ENOSYS, "new mount interface"},
    {"move_mount", 429, ENOSYS, "new mount interface"},
    {"fsopen", 430, ENOSYS, "new mount interface"},
    {"fsconfig", 431, ENOSYS, "new mount interface"},
    {"fsmount", 432, ENOSYS, "new mount interface"},
    {"fspick", 433, ENOSYS, "new mount interface"},
    {"mount_setattr", 442, ENOSYS, "new mount interface"},
    {"open_tree_attr", 467, ENOSYS, "new mount interface"},
    {"io_uring_setup", 425, ENOSYS, "does what this filter refuses, unseen by it"},
    {"io_uring_enter", 426, ENOSYS, "does what this filter refuses, unseen by it"},
    {"io_uring_register", 427, ENOSYS, "does what this filter refuses, unseen by it"},
    {"process_vm_writev", -1, ENOSYS, "writes the memory of other processes"},
};

// What a session with [allow] nested may do after all: the kernel then lets it act on namespaces of its own making
// only.
inline constexpr const char* kNestedCalls[] = {
    "setns",     "mount",      "umount2", "pivot_root", "chroot",  "sethostname", "setdomainname", "clone3",
    "open_tree", "move_mount", "fsopen",  "fsconfig",   "fsmount", "fspick",      "mount_setattr", "open_tree_attr",
};

// One bit of an argument that must not be set, but for a session with [allow] nested.
struct FlagRule {
  const char* name;
  unsigned argument;
  unsigned long long bit;
  const char* reason;
};

inline constexpr FlagRule kFlagRules[] = {
    {"unshare", 0, 0x00000080, "CLONE_NEWTIME"},   {"unshare", 0, 0x00020000, "CLONE_NEWNS"},
    {"unshare", 0, 0x02000000, "CLONE_NEWCGROUP"}, {"unshare", 0, 0x04000000, "CLONE_NEWUTS"},
    {"unshare", 0, 0x08000000, "CLONE_NEWIPC"},    {"unshare", 0, 0x10000000, "CLONE_NEWUSER"},
    {"unshare", 0, 0x20000000, "CLONE_NEWPID"},    {"unshare", 0, 0x40000000, "CLONE_NEWNET"},
    {"clone", 0, 0x00020000, "CLONE_NEWNS"},       {"clone", 0, 0x02000000, "CLONE_NEWCGROUP"},
    {"clone", 0, 0x04000000, "CLONE_NEWUTS"},      {"clone", 0, 0x08000000, "CLONE_NEWIPC"},
    {"clone", 0, 0x10000000, "CLONE_NEWUSER"},     {"clone", 0, 0x20000000, "CLONE_NEWPID"},
    {"clone", 0, 0x40000000, "CLONE_NEWNET"},
};

// The kernel reads a request as 32 bits, a filter compares 64: without the mask, high bits would slip through.
struct RequestRule {
  unsigned request;
  const char* reason;
};

inline constexpr RequestRule kIoctlRules[] = {
    {0x5412, "TIOCSTI types into the terminal"},
    {0x541C, "TIOCLINUX pastes into a console"},
    {0x541D, "TIOCCONS takes the console's output"},
    {0x5423, "TIOCSETD changes the line discipline: a large kernel surface"},
};

}  // namespace agentctl::bwrap
