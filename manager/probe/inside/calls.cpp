// SPDX-License-Identifier: Apache-2.0
// Attempts at system calls that a filter should refuse. Arguments are wrong on purpose where success would change the
// machine; as the kernel looks at them before or after it looks at privileges, an unfiltered caller is told either that
// they are wrong, which counts as open, or EPERM, and then this host refuses it to everybody. vhangup(2), which takes
// no arguments to be wrong, is not called.
#include <fcntl.h>
#include <linux/keyctl.h>
#include <linux/netlink.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>

#include "bwrap/seccomp_rules.h"
#include "manager/probe/inside/attempt.h"

namespace agentctl::probe {
namespace {

constexpr const char* kNowhere = "/agentctl-probe/no-such-file";
constexpr void* kBadAddress = nullptr;

void io_uring(Outcome& outcome) {
  char parameters[256] = {};
  by_filter(outcome, ::syscall(SYS_io_uring_setup, 4, parameters));
}

void bpf(Outcome& outcome) {
  char attributes[128] = {};
  constexpr int kNoSuchCommand = 9999;
  by_filter(outcome, ::syscall(SYS_bpf, kNoSuchCommand, attributes, sizeof attributes));
}

void perf(Outcome& outcome) {
  char attributes[128] = {};
  by_filter(outcome, ::syscall(SYS_perf_event_open, attributes, 0, -1, -1, ~0UL));
}

void userfault(Outcome& outcome) {
  constexpr int kUserModeOnly = 1;
  by_filter(outcome, ::syscall(SYS_userfaultfd, O_CLOEXEC | kUserModeOnly));
}

void keyctl(Outcome& outcome) { by_filter(outcome, ::syscall(SYS_keyctl, KEYCTL_GET_KEYRING_ID, -3, 0)); }
void add_key(Outcome& outcome) {
  by_filter(outcome, ::syscall(SYS_add_key, "no-such-type", "agentctl-probe", "Z", std::size_t{1}, -3));
}
void request_key(Outcome& outcome) {
  by_filter(outcome, ::syscall(SYS_request_key, "no-such-type", "agentctl-probe", nullptr, 0));
}

void handle(Outcome& outcome) { by_filter(outcome, ::syscall(SYS_open_by_handle_at, -1, kBadAddress, 0)); }
void take_descriptor(Outcome& outcome) { by_filter(outcome, ::syscall(SYS_pidfd_getfd, -1, 0, 0)); }

void fanotify(Outcome& outcome) {
  constexpr unsigned kReportFid = 0x200;
  by_filter(outcome, ::syscall(SYS_fanotify_init, kReportFid, O_RDONLY));
}

void kcmp(Outcome& outcome) {
  constexpr int kFile = 0;
  by_filter(outcome, ::syscall(SYS_kcmp, ::getpid(), ::getpid(), kFile, 0, 1));
}

void write_memory(Outcome& outcome) {
  by_filter(outcome, ::syscall(SYS_process_vm_writev, ::getpid(), nullptr, 0, nullptr, 0, 0));
}
void move_pages(Outcome& outcome) {
  by_filter(outcome, ::syscall(SYS_move_pages, 0, 0, nullptr, nullptr, nullptr, ~0U));
}
void migrate_pages(Outcome& outcome) {
  by_filter(outcome, ::syscall(SYS_migrate_pages, ::getpid(), 1UL << 20, kBadAddress, kBadAddress));
}

// A kernel that knows it finds the descriptor wrong; one that does not answers as a filter does.
void new_call(Outcome& outcome) {
  by_filter(outcome, ::syscall(bwrap::kHighestReviewedCall + 1L, -1, nullptr, nullptr, 0, 0, 0));
}

void kernel_image(Outcome& outcome) { by_filter(outcome, ::syscall(SYS_kexec_load, 0, ~0UL, kBadAddress, ~0UL)); }
void kernel_module(Outcome& outcome) { by_filter(outcome, ::syscall(SYS_init_module, kBadAddress, 0, "")); }
void kernel_module_file(Outcome& outcome) { by_filter(outcome, ::syscall(SYS_finit_module, -1, "", 0)); }
void remove_module(Outcome& outcome) {
  by_filter(outcome, ::syscall(SYS_delete_module, "agentctl_no_such", O_NONBLOCK));
}
void reboot(Outcome& outcome) { by_filter(outcome, ::syscall(SYS_reboot, 0, 0, 0, nullptr)); }
void swap_on(Outcome& outcome) { by_filter(outcome, ::syscall(SYS_swapon, kNowhere, 0)); }
void swap_off(Outcome& outcome) { by_filter(outcome, ::syscall(SYS_swapoff, kNowhere)); }
void accounting(Outcome& outcome) { by_filter(outcome, ::syscall(SYS_acct, kNowhere)); }

void quota(Outcome& outcome) {
  constexpr unsigned kNoSuchType = 0xff;
  by_filter(outcome, ::syscall(SYS_quotactl, (0x800007U << 8U) | kNoSuchType, kNowhere, 0, kBadAddress));
}

void set_clock(Outcome& outcome) { by_filter(outcome, ::syscall(SYS_clock_settime, CLOCK_REALTIME, kBadAddress)); }
void set_time(Outcome& outcome) {
  by_filter(outcome, ::syscall(SYS_settimeofday, reinterpret_cast<void*>(std::uintptr_t{8}), nullptr));
}
void adjust_time(Outcome& outcome) { by_filter(outcome, ::syscall(SYS_adjtimex, kBadAddress)); }
void adjust_clock(Outcome& outcome) { by_filter(outcome, ::syscall(SYS_clock_adjtime, CLOCK_REALTIME, kBadAddress)); }
void host_name(Outcome& outcome) { by_filter(outcome, ::syscall(SYS_sethostname, kBadAddress, -1)); }
void domain_name(Outcome& outcome) { by_filter(outcome, ::syscall(SYS_setdomainname, kBadAddress, -1)); }

#ifdef __x86_64__
void io_privilege(Outcome& outcome) { by_filter(outcome, ::syscall(SYS_iopl, 99)); }
void io_ports(Outcome& outcome) { by_filter(outcome, ::syscall(SYS_ioperm, ~0UL, 0UL, 0)); }
void descriptor_table(Outcome& outcome) {
  char table[64];
  by_filter(outcome, ::syscall(SYS_modify_ldt, 0, table, sizeof table));
}
void file_systems(Outcome& outcome) { by_filter(outcome, ::syscall(SYS_sysfs, 3)); }
void disk_statistics(Outcome& outcome) {
  char text[128];
  by_filter(outcome, ::syscall(SYS_ustat, 0, text));
}

// getpid(2) by the 32-bit entry of the kernel, whose numbers a filter for 64 bits reads wrongly.
void old_abi(Outcome& outcome) {
  long returned = 0;
  __asm__ volatile("int $0x80" : "=a"(returned) : "a"(20L) : "memory", "r8", "r9", "r10", "r11");
  const int value = static_cast<int>(returned);  // the upper half is not told of
  if (value > 0) return open_wall(outcome, "getpid gave %d", value);
  blocked(outcome, "%s", ::strerrorname_np(-value));
}

void old_abi_if_there(Outcome& outcome) {
  // A kernel without it raises SIGSEGV.
  ::signal(SIGSEGV, [](int) { ::_exit(0); });
  skip(outcome, "this kernel has no 32-bit entry");
  old_abi(outcome);
}

void x32_abi(Outcome& outcome) { by_filter(outcome, ::syscall(0x40000000L | SYS_getpid)); }
#endif

void family(Outcome& outcome, long number, int type, int protocol) {
  by_filter(outcome, ::syscall(SYS_socket, number, type | SOCK_CLOEXEC, protocol));
}

constexpr long kHighBits = 0x100000000L;
void socket_alg(Outcome& outcome) { family(outcome, AF_ALG, SOCK_SEQPACKET, 0); }
void socket_alg_high_bits(Outcome& outcome) { family(outcome, AF_ALG | kHighBits, SOCK_SEQPACKET, 0); }
void socket_vsock(Outcome& outcome) { family(outcome, AF_VSOCK, SOCK_STREAM, 0); }
void socket_raw_packet(Outcome& outcome) { family(outcome, AF_PACKET, SOCK_DGRAM, 0); }
void netlink_audit(Outcome& outcome) { family(outcome, AF_NETLINK, SOCK_RAW, NETLINK_AUDIT); }
void netlink_filter(Outcome& outcome) { family(outcome, AF_NETLINK, SOCK_RAW, NETLINK_NETFILTER); }
void netlink_ipsec(Outcome& outcome) { family(outcome, AF_NETLINK, SOCK_RAW, NETLINK_XFRM); }

constexpr Attempt kAttempts[] = {
    {"io-uring", io_uring},
    {"bpf", bpf},
    {"perf", perf},
    {"userfaultfd", userfault},
    {"keyctl", keyctl},
    {"add-key", add_key},
    {"request-key", request_key},
    {"open-by-handle", handle},
    {"pidfd-getfd", take_descriptor},
    {"fanotify", fanotify},
    {"kcmp", kcmp},
    {"process-vm-writev", write_memory},
    {"move-pages", move_pages},
    {"migrate-pages", migrate_pages},
    {"new-call", new_call},
    {"kexec", kernel_image},
    {"init-module", kernel_module},
    {"finit-module", kernel_module_file},
    {"delete-module", remove_module},
    {"reboot", reboot},
    {"swapon", swap_on},
    {"swapoff", swap_off},
    {"acct", accounting},
    {"quotactl", quota},
    {"clock-settime", set_clock},
    {"settimeofday", set_time},
    {"adjtimex", adjust_time},
    {"clock-adjtime", adjust_clock},
    {"sethostname", host_name},
    {"setdomainname", domain_name},
#ifdef __x86_64__
    {"iopl", io_privilege},
    {"ioperm", io_ports},
    {"modify-ldt", descriptor_table},
    {"sysfs", file_systems},
    {"ustat", disk_statistics},
    {"int80", old_abi_if_there},
    {"x32", x32_abi},
#endif
    {"socket-alg", socket_alg},
    {"socket-alg-high-bits", socket_alg_high_bits},
    {"socket-vsock", socket_vsock},
    {"socket-packet-raw", socket_raw_packet},
    {"netlink-audit", netlink_audit},
    {"netlink-netfilter", netlink_filter},
    {"netlink-xfrm", netlink_ipsec},
};

}  // namespace

AttemptList call_attempts() { return {kAttempts, sizeof kAttempts / sizeof kAttempts[0]}; }

}  // namespace agentctl::probe
