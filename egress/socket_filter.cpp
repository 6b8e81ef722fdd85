// SPDX-License-Identifier: Apache-2.0
#include "egress/socket_filter.h"

#include <linux/audit.h>
#include <linux/netlink.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <iterator>

namespace agentctl::egress {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kNativeArch = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kNativeArch = AUDIT_ARCH_AARCH64;
#elif defined(__riscv) && __riscv_xlen == 64
constexpr std::uint32_t kNativeArch = AUDIT_ARCH_RISCV64;
#else
#error "the seccomp filters have not been reviewed for this architecture"
#endif

// The most frequent ones come first: the kernel goes through them in order. The sanitizers ask for sigaltstack(2).
constexpr long kAllowed[] = {SYS_recvfrom,     SYS_sendto,        SYS_splice,
                             SYS_epoll_ctl,    SYS_epoll_pwait,
#ifdef SYS_epoll_wait
                             SYS_epoll_wait,
#endif
#ifdef SYS_epoll_pwait2
                             SYS_epoll_pwait2,
#endif
                             SYS_accept4,      SYS_connect,       SYS_close,
                             SYS_getsockopt,   SYS_setsockopt,    SYS_getsockname,
                             SYS_getpeername,  SYS_shutdown,      SYS_read,
                             SYS_write,        SYS_recvmsg,       SYS_sendmsg,
                             SYS_pipe2,        SYS_fcntl,         SYS_epoll_create1,
#ifdef SYS_poll
                             SYS_poll,
#endif
                             SYS_ppoll,        SYS_bind,  // getifaddrs(3) binds its socket
                             SYS_pread64,      SYS_pwrite64,      SYS_ftruncate,
                             SYS_fstat,        SYS_lseek,         SYS_brk,
                             SYS_munmap,       SYS_mremap,        SYS_madvise,
                             SYS_futex,        SYS_clock_gettime, SYS_gettimeofday,
                             SYS_getrandom,    SYS_getpid,        SYS_gettid,
                             SYS_tgkill,       SYS_sigaltstack,   SYS_rt_sigprocmask,
                             SYS_rt_sigaction, SYS_rt_sigreturn,  SYS_restart_syscall,
                             SYS_exit,         SYS_exit_group};

sock_filter load(std::size_t offset) { return BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset)); }
sock_filter answer(std::uint32_t action) { return BPF_STMT(BPF_RET | BPF_K, action); }
sock_filter jump_if(std::uint16_t condition, std::uint32_t value, std::uint8_t yes, std::uint8_t no) {
  return BPF_JUMP(static_cast<std::uint16_t>(BPF_JMP | condition | BPF_K), value, yes, no);
}
// The half of an argument in which the kernel's int is, on the little-endian machines above.
sock_filter load_argument(std::size_t number) {
  return load(offsetof(seccomp_data, args) + number * sizeof(std::uint64_t));
}

constexpr std::uint32_t kAllow = SECCOMP_RET_ALLOW;
constexpr std::uint32_t kRefuse = SECCOMP_RET_ERRNO | EPERM;

}  // namespace

std::vector<sock_filter> socket_filter() {
  std::vector<sock_filter> filter = {load(offsetof(seccomp_data, arch)), jump_if(BPF_JEQ, kNativeArch, 1, 0),
                                     answer(kRefuse), load(offsetof(seccomp_data, nr))};
  for (const long call : kAllowed) {
    filter.push_back(jump_if(BPF_JEQ, static_cast<std::uint32_t>(call), 0, 1));
    filter.push_back(answer(kAllow));
  }
  for (const long call : {SYS_mmap, SYS_mprotect}) {  // no memory that can be executed
    const std::vector<sock_filter> rule = {jump_if(BPF_JEQ, static_cast<std::uint32_t>(call), 0, 4), load_argument(2),
                                           jump_if(BPF_JSET, PROT_EXEC, 1, 0), answer(kAllow), answer(kRefuse)};
    filter.insert(filter.end(), rule.begin(), rule.end());
  }
  // socket(2): the family, and of netlink the protocol.
  const std::vector<sock_filter> sockets = {
      jump_if(BPF_JEQ, static_cast<std::uint32_t>(SYS_socket), 1, 0),
      answer(kRefuse),
      load_argument(0),
      jump_if(BPF_JEQ, AF_INET, 4, 0),
      jump_if(BPF_JEQ, AF_INET6, 3, 0),
      jump_if(BPF_JEQ, AF_NETLINK, 0, 3),
      load_argument(2),
      jump_if(BPF_JEQ, NETLINK_ROUTE, 0, 1),
      answer(kAllow),
      answer(kRefuse),
  };
  filter.insert(filter.end(), sockets.begin(), sockets.end());
  return filter;
}

Result<void> install_socket_filter() {
  std::vector<sock_filter> filter = socket_filter();
  const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
  if (::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0) return {};
  return errno_error("cannot install the seccomp filter");
}

}  // namespace agentctl::egress
