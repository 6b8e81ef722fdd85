// SPDX-License-Identifier: Apache-2.0
// The programs are run here by a small interpreter of classic BPF (linux/filter.h), so that calls can be tried which
// this kernel or this test could not make.
#include "bwrap/seccomp_filter.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include <doctest/doctest.h>

#include "base/file.h"
#include "base/text.h"

namespace agentctl::bwrap {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kArch = AUDIT_ARCH_X86_64;
constexpr std::uint32_t kForeignArch = AUDIT_ARCH_I386;
#elif defined(__aarch64__)
constexpr std::uint32_t kArch = AUDIT_ARCH_AARCH64;
constexpr std::uint32_t kForeignArch = AUDIT_ARCH_ARM;
#else
constexpr std::uint32_t kArch = AUDIT_ARCH_RISCV64;
constexpr std::uint32_t kForeignArch = AUDIT_ARCH_RISCV32;
#endif

constexpr int kCloneNewUser = 0x10000000;
constexpr std::uint64_t kHighBits = 0xabcd00000000ULL;

std::uint32_t run(std::string_view program, const seccomp_data& data) {
  std::vector<sock_filter> code(program.size() / sizeof(sock_filter));
  std::memcpy(code.data(), program.data(), program.size());
  std::uint32_t a = 0;
  for (std::size_t pc = 0; pc < code.size(); ++pc) {
    const sock_filter& step = code[pc];
    const auto jump = [&](bool taken) { pc += taken ? step.jt : step.jf; };
    switch (step.code) {
      case BPF_LD | BPF_W | BPF_ABS:
        REQUIRE(step.k + sizeof a <= sizeof data);
        std::memcpy(&a, reinterpret_cast<const char*>(&data) + step.k, sizeof a);
        break;
      case BPF_ALU | BPF_AND | BPF_K:
        a &= step.k;
        break;
      case BPF_JMP | BPF_JA:
        pc += step.k;
        break;
      case BPF_JMP | BPF_JEQ | BPF_K:
        jump(a == step.k);
        break;
      case BPF_JMP | BPF_JGT | BPF_K:
        jump(a > step.k);
        break;
      case BPF_JMP | BPF_JGE | BPF_K:
        jump(a >= step.k);
        break;
      case BPF_JMP | BPF_JSET | BPF_K:
        jump((a & step.k) != 0);
        break;
      case BPF_RET | BPF_K:
        return step.k;
      default:
        FAIL("unexpected instruction ", step.code);
    }
  }
  FAIL("the program runs off its end");
  return 0;
}

// The errno of a refusal, 0 for a call that may go on.
int answer(std::string_view program, long call, std::vector<std::uint64_t> arguments = {}, std::uint32_t arch = kArch) {
  seccomp_data data{};
  data.nr = static_cast<int>(call);
  data.arch = arch;
  for (std::size_t index = 0; index < arguments.size(); ++index) data.args[index] = arguments[index];
  const std::uint32_t result = run(program, data);
  if (result == SECCOMP_RET_ALLOW) return 0;
  REQUIRE_EQ(result & SECCOMP_RET_ACTION_FULL, static_cast<std::uint32_t>(SECCOMP_RET_ERRNO));
  return static_cast<int>(result & SECCOMP_RET_DATA);
}

int denied(long call, std::vector<std::uint64_t> arguments = {}) {
  return answer(deny_filter(), call, std::move(arguments));
}

TEST_SUITE("seccomp_filter") {
  TEST_CASE("what is handed to bwrap as a filter nobody can change any more") {
    const UniqueFd file = sealed_memory_file("agentctl-filter", guard_filter()).value();
    const UniqueFd again(::open(cat("/proc/self/fd/", file.get()).c_str(), O_RDWR | O_CLOEXEC));
    CHECK_EQ(::write(file.get(), "x", 1), -1);
    CHECK_EQ(::ftruncate(file.get(), 0), -1);
    if (again.valid()) CHECK_EQ(::pwrite(again.get(), "x", 1, 0), -1);
  }

  TEST_CASE("the guard refuses foreign ABIs and calls that nobody has reviewed") {
    CHECK_EQ(answer(guard_filter(), SYS_read), 0);
    CHECK_EQ(answer(guard_filter(), 468), 0);
    CHECK_EQ(answer(guard_filter(), 469), ENOSYS);
    CHECK_EQ(answer(guard_filter(), 1023), ENOSYS);
    CHECK_EQ(answer(guard_filter(), -1), ENOSYS);
    CHECK_EQ(answer(guard_filter(), 0x40000000 + SYS_getpid), ENOSYS);
    CHECK_EQ(answer(guard_filter(), SYS_read, {}, kForeignArch), ENOSYS);
  }

  TEST_CASE("keyrings, kernel and machine are out of reach") {
    for (const long call : {SYS_add_key,         SYS_keyctl,        SYS_request_key, SYS_bpf,
                            SYS_perf_event_open, SYS_userfaultfd,   SYS_init_module, SYS_kexec_load,
                            SYS_reboot,          SYS_clock_settime, SYS_setns,       SYS_mount,
                            SYS_umount2,         SYS_pivot_root,    SYS_chroot,      SYS_open_by_handle_at,
                            SYS_pidfd_getfd,     SYS_fanotify_init, SYS_sethostname, SYS_quotactl}) {
      CHECK_MESSAGE(denied(call) == EPERM, "call ", call);
    }
  }

  TEST_CASE("calls with a fallback look as if the kernel lacked them") {
    for (const long call : {long{SYS_clone3}, 425L, 426L, 427L, 428L, 429L, 430L, 431L, 432L, 433L, 442L, 467L,
                            long{SYS_process_vm_writev}}) {
      CHECK_MESSAGE(denied(call) == ENOSYS, "call ", call);
    }
  }

  TEST_CASE("new namespaces are refused by unshare and clone, alone and among other flags") {
    for (const std::uint64_t bit :
         {0x80ULL, 0x20000ULL, 0x2000000ULL, 0x4000000ULL, 0x8000000ULL, 0x10000000ULL, 0x20000000ULL, 0x40000000ULL}) {
      CHECK_EQ(denied(SYS_unshare, {bit}), EPERM);
      CHECK_EQ(denied(SYS_unshare, {bit | 0x400}), EPERM);
      if (bit != 0x80) CHECK_EQ(denied(SYS_clone, {bit | 17}), EPERM);
    }
    CHECK_EQ(denied(SYS_unshare, {kHighBits | kCloneNewUser}), EPERM);
    CHECK_EQ(denied(SYS_unshare, {0x400}), 0);
    CHECK_EQ(denied(SYS_clone, {0x3d0f00}), 0);
    CHECK_EQ(denied(SYS_clone, {17}), 0);
  }

  TEST_CASE("TOOL-07 a nested sandbox can be made under the nested filter, which refuses all the rest still") {
    const auto nested = [](long call, std::vector<std::uint64_t> arguments = {}) {
      return answer(nested_deny_filter(), call, std::move(arguments));
    };
    for (const long call : {SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot, SYS_setns, SYS_sethostname}) {
      CHECK_MESSAGE(nested(call) == 0, "call ", call);
    }
    for (const long call : {long{SYS_clone3}, 428L, 429L, 430L, 442L, 467L})
      CHECK_MESSAGE(nested(call) == 0, "call ", call);
    CHECK_EQ(nested(SYS_unshare, {kCloneNewUser}), 0);
    CHECK_EQ(nested(SYS_clone, {kCloneNewUser | 17}), 0);
    for (const long call : {SYS_keyctl, SYS_bpf, SYS_open_by_handle_at, SYS_pidfd_getfd, SYS_init_module, SYS_reboot}) {
      CHECK_MESSAGE(nested(call) == EPERM, "call ", call);
    }
    CHECK_EQ(nested(425), ENOSYS);
    CHECK_EQ(nested(SYS_ioctl, {0, 0x5412}), EPERM);
    CHECK_EQ(nested(SYS_socket, {AF_NETLINK, 3, 4}), EPERM);
  }

  TEST_CASE("terminal requests are refused whatever the high bits say") {
    for (const std::uint64_t request : {0x5412ULL, 0x541CULL, 0x541DULL, 0x5423ULL}) {
      CHECK_EQ(denied(SYS_ioctl, {0, request}), EPERM);
      CHECK_EQ(denied(SYS_ioctl, {0, kHighBits | request}), EPERM);
    }
    CHECK_EQ(denied(SYS_ioctl, {0, 0x5413}), 0);
    CHECK_EQ(denied(SYS_ioctl, {0x5412, 0x5401}), 0);
  }

  TEST_CASE("only the common socket families are left") {
    for (const std::uint64_t family : {0U, unsigned{AF_UNIX}, unsigned{AF_INET}, unsigned{AF_INET6}})
      CHECK_EQ(denied(SYS_socket, {family, 1, 0}), 0);
    for (std::uint64_t family = 3; family < 70; ++family) {
      if (family == AF_INET6 || family == AF_NETLINK) continue;
      CHECK_MESSAGE(denied(SYS_socket, {family, 1, 0}) == EAFNOSUPPORT, "family ", family);
      CHECK_MESSAGE(denied(SYS_socket, {kHighBits | family, 1, 0}) == EAFNOSUPPORT, "family ", family);
    }
  }

  TEST_CASE("netlink is left for routes and device events") {
    for (std::uint64_t protocol = 0; protocol < 32; ++protocol) {
      const bool common = protocol == 0 || protocol == 15;
      CHECK_MESSAGE((denied(SYS_socket, {AF_NETLINK, 3, protocol}) == 0) == common, "protocol ", protocol);
      CHECK_MESSAGE((denied(SYS_socket, {AF_NETLINK, 3, kHighBits | protocol}) == 0) == common, "protocol ", protocol);
    }
  }

  TEST_CASE("what compilers, debuggers and runtimes use goes through") {
    for (const long call :
         {SYS_read, SYS_openat, SYS_execve, SYS_ptrace, SYS_process_vm_readv, SYS_personality, SYS_memfd_create,
          SYS_seccomp, SYS_prctl, SYS_inotify_init1, SYS_pidfd_open, SYS_futex, SYS_mbind, SYS_set_mempolicy,
          SYS_name_to_handle_at, SYS_statx, SYS_landlock_restrict_self}) {
      CHECK_MESSAGE(denied(call) == 0, "call ", call);
    }
  }

  TEST_CASE("the deny filter kills nobody over a foreign ABI either") {
    CHECK_EQ(answer(deny_filter(), SYS_read, {}, kForeignArch), ENOSYS);
  }
}

}  // namespace
}  // namespace agentctl::bwrap
