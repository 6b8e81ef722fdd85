// SPDX-License-Identifier: Apache-2.0
#include "manager/probe/item.h"

namespace agentctl::probe {
namespace {

constexpr std::string_view kUserns = "--unshare-user --disable-userns, and seccomp for unshare, clone and clone3";
constexpr std::string_view kMounts = "refuse it by seccomp with ENOSYS, so that libraries fall back";
constexpr std::string_view kDeny = "refuse it by seccomp";
constexpr std::string_view kFamilies = "let only UNIX, INET, INET6 and NETLINK sockets be made";
constexpr std::string_view kNetlink = "let only ROUTE and UEVENT netlink sockets be made";
constexpr std::string_view kAdmin = "acts on the whole machine";
constexpr std::string_view kSurface = "large code of the kernel, no use without privileges";
constexpr std::string_view kLayout = "changes the layout; reachable with a user namespace";

Item admin(std::string_view name, std::string_view title) { return {name, "D9", title, kAdmin, "", kDeny}; }
Item mount(std::string_view name, std::string_view row, std::string_view title) {
  return {name, row, title, kLayout, "CVE-2021-41133", kMounts, Witness::report, Opening::nested};
}

}  // namespace

const std::vector<Item>& call_items() {
  static const std::vector<Item> items = {
      {"unshare-user", "D1", "make a user namespace (unshare)",
       "every capability in it: the door to most kernel faults", "", kUserns, Witness::report, Opening::nested},
      {"clone-user", "D1", "make a user namespace (clone)", "as by unshare", "", kUserns, Witness::report,
       Opening::nested},
      {"clone3-user", "D2", "make a user namespace (clone3)", "its flags lie in memory that no filter reads",
       "CVE-2021-41133", kUserns, Witness::report, Opening::nested},
      {"user-limit", "D1", "raise the limit of user namespaces", "undoes --disable-userns", "",
       "a read-only /proc/sys for root"},
      {"nested-mount", "D1", "mount in a user namespace of its own", "file systems of the kernel, unprivileged", "",
       kUserns, Witness::report, Opening::nested},
      mount("mount", "D1", "call mount(2)"),
      mount("umount", "D1", "call umount2(2)"),
      mount("pivot-root", "D1", "call pivot_root(2)"),
      mount("chroot", "D1", "call chroot(2)"),
      mount("setns", "D1", "enter other namespaces"),
      mount("open-tree", "D3", "call open_tree(2)"),
      mount("move-mount", "D3", "call move_mount(2)"),
      mount("fsopen", "D3", "call fsopen(2)"),
      mount("fsconfig", "D3", "call fsconfig(2)"),
      mount("fsmount", "D3", "call fsmount(2)"),
      mount("fspick", "D3", "call fspick(2)"),
      mount("mount-setattr", "D3", "call mount_setattr(2)"),
      mount("open-tree-attr", "D3", "call open_tree_attr(2)"),
      {"io-uring", "D4", "use io_uring", "does what a filter refuses, unseen by it", "", kDeny},
      {"bpf", "D5", "call bpf(2)", kSurface, "", kDeny},
      {"perf", "D6", "call perf_event_open(2)", kSurface, "", kDeny},
      {"userfaultfd", "D7", "call userfaultfd(2)", "makes races in the kernel easy to win", "", kDeny},
      {"open-by-handle", "D8", "open files by number", "past every mount", "CVE-2014-3519", kDeny},
      {"keyctl", "D9", "call keyctl(2)", "keyrings are not namespaced", "", kDeny},
      {"add-key", "D9", "call add_key(2)", "keyrings are not namespaced", "", kDeny},
      {"request-key", "D9", "call request_key(2)", "may start a helper on the host", "", kDeny},
      {"pidfd-getfd", "D9", "call pidfd_getfd(2)", "takes descriptors out of other processes", "", kDeny},
      {"fanotify", "D9", "call fanotify_init(2)", "watches whole mounts", "", kDeny},
      {"kcmp", "D9", "call kcmp(2)", "tells addresses of the kernel apart", "", kDeny},
      {"process-vm-writev", "D9", "call process_vm_writev(2)", "writes the memory of others", "", kDeny},
      {"move-pages", "D9", "call move_pages(2)", "acts on memory of others", "", kDeny},
      {"migrate-pages", "D9", "call migrate_pages(2)", "acts on memory of others", "", kDeny},
      {"new-call", "D11", "make a call that is newer than the filter", "nobody has looked at what it lets through", "",
       "answer numbers above the known ones with ENOSYS"},
      admin("kexec", "call kexec_load(2)"),
      admin("init-module", "call init_module(2)"),
      admin("finit-module", "call finit_module(2)"),
      admin("delete-module", "call delete_module(2)"),
      admin("reboot", "call reboot(2)"),
      admin("swapon", "call swapon(2)"),
      admin("swapoff", "call swapoff(2)"),
      admin("acct", "call acct(2)"),
      admin("quotactl", "call quotactl(2)"),
      admin("clock-settime", "call clock_settime(2)"),
      admin("settimeofday", "call settimeofday(2)"),
      admin("adjtimex", "call adjtimex(2)"),
      admin("clock-adjtime", "call clock_adjtime(2)"),
      {"sethostname", "C16", "change the host's name", "the name shows that it is a sandbox", "",
       "--unshare-uts, and refuse it by seccomp", Witness::report, Opening::nested},
      {"setdomainname", "C16", "change the domain's name", "as the host's name", "",
       "--unshare-uts, and refuse it by seccomp", Witness::report, Opening::nested},
#ifdef __x86_64__
      admin("iopl", "call iopl(2)"),
      admin("ioperm", "call ioperm(2)"),
      {"modify-ldt", "D9", "call modify_ldt(2)", "rarely used, a source of kernel faults", "CVE-2015-5157", kDeny},
      {"sysfs", "D9", "call sysfs(2)", "obsolete, rarely tested", "", kDeny},
      {"ustat", "D9", "call ustat(2)", "obsolete, rarely tested", "", kDeny},
      {"int80", "D12", "call the kernel by its 32-bit entry", "its numbers mean other calls to a filter", "",
       "answer foreign architectures with ENOSYS"},
      {"x32", "D12", "call the kernel by x32 numbers", "as the 32-bit entry", "",
       "answer numbers above the known ones with ENOSYS"},
#endif
      {"socket-alg", "D10", "make an AF_ALG socket", "wrote to files' pages in memory", "CVE-2026-31431", kFamilies},
      {"socket-alg-high-bits", "D10", "make one past a filter of 64 bits", "the kernel reads 32 bits", "",
       "compare with SCMP_CMP_MASKED_EQ and 0xffffffff"},
      {"socket-packet-raw", "D10", "make an AF_PACKET socket", "reads and forges what the network carries", "",
       kFamilies},
      {"netlink-audit", "D10", "make a netlink socket for audit", kSurface, "", kNetlink},
      {"netlink-netfilter", "D10", "make a netlink socket for netfilter", kSurface, "CVE-2024-1086", kNetlink},
      {"netlink-xfrm", "D10", "make a netlink socket for IPsec", kSurface, "CVE-2017-7184", kNetlink},
  };
  return items;
}

}  // namespace agentctl::probe
