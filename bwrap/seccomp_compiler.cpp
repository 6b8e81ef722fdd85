// SPDX-License-Identifier: Apache-2.0
// Build-time program: writes the C++ source that holds the filters of seccomp_filter.h as bytes.
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "bwrap/seccomp_rules.h"

namespace {

using agentctl::bwrap::CallRule;
using agentctl::bwrap::FlagRule;
using agentctl::bwrap::RequestRule;

#if defined(__x86_64__)
constexpr unsigned kNativeArch = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr unsigned kNativeArch = AUDIT_ARCH_AARCH64;
#elif defined(__riscv) && __riscv_xlen == 64
constexpr unsigned kNativeArch = AUDIT_ARCH_RISCV64;
#else
#error "the seccomp filters have not been reviewed for this architecture"
#endif

constexpr unsigned long long kLow32 = 0xffffffffULL;

// linux/socket.h; the highest family the kernel could ever take is far below 64.
constexpr unsigned kFamilyInet6 = 10;
constexpr unsigned kFamilyNetlink = 16;
constexpr unsigned kFirstRefusedFamily = 3;
constexpr unsigned kFamilyBound = 64;
// linux/netlink.h; from MAX_LINKS on the kernel itself refuses.
constexpr unsigned kNetlinkRoute = 0;
constexpr unsigned kNetlinkUevent = 15;
constexpr unsigned kNetlinkBound = 32;

int fail(const std::string& what, int error) {
  std::fprintf(stderr, "seccomp_compiler: %s: %s\n", what.c_str(), std::strerror(error < 0 ? -error : error));
  return 1;
}

std::vector<sock_filter> make_guard() {
  const auto load = [](std::size_t offset) {
    return sock_filter BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<unsigned>(offset));
  };
  return {
      load(offsetof(seccomp_data, arch)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kNativeArch, 0, 3),
      load(offsetof(seccomp_data, nr)),
      // x32 calls have bit 30 set, so this catches them too.
      BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, agentctl::bwrap::kHighestReviewedCall, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
  };
}

// An unknown name is a call that this architecture does not have.
int number_of(const CallRule& rule) {
  const int known = seccomp_syscall_resolve_name(rule.name);
  return known == __NR_SCMP_ERROR ? rule.raw_number : known;
}

int add_rule(scmp_filter_ctx context, int error, int call, const std::vector<scmp_arg_cmp>& conditions) {
  const int result = seccomp_rule_add_array(context, SCMP_ACT_ERRNO(static_cast<unsigned>(error) & 0xffffU), call,
                                            static_cast<unsigned>(conditions.size()), conditions.data());
  // EFAULT, EDOM: the architecture lacks the call.
  return result == -EFAULT || result == -EDOM ? 0 : result;
}

scmp_arg_cmp equals_32(unsigned argument, unsigned value) {
  return scmp_arg_cmp{argument, SCMP_CMP_MASKED_EQ, kLow32, value};
}

bool is_left_to_nested(const CallRule& rule) {
  const auto& left = agentctl::bwrap::kNestedCalls;
  return std::any_of(std::begin(left), std::end(left),
                     [&](const char* name) { return std::strcmp(name, rule.name) == 0; });
}

int add_call_rules(scmp_filter_ctx context, bool nested) {
  for (const CallRule& rule : agentctl::bwrap::kCallRules) {
    const int call = number_of(rule);
    if (call == -1 || (nested && is_left_to_nested(rule))) continue;
    if (const int error = add_rule(context, rule.error, call, {})) return fail(rule.name, error);
  }
  for (const FlagRule& rule : agentctl::bwrap::kFlagRules) {
    if (nested) break;
    const int call = seccomp_syscall_resolve_name(rule.name);
    const scmp_arg_cmp bit_set{rule.argument, SCMP_CMP_MASKED_EQ, rule.bit, rule.bit};
    if (const int error = add_rule(context, EPERM, call, {bit_set})) return fail(rule.reason, error);
  }
  for (const RequestRule& rule : agentctl::bwrap::kIoctlRules) {
    if (const int error = add_rule(context, EPERM, SCMP_SYS(ioctl), {equals_32(1, rule.request)})) {
      return fail(rule.reason, error);
    }
  }
  return 0;
}

// Families with little use and much kernel code (vsock, packet, alg, bluetooth …) go; UNSPEC, UNIX, INET, INET6 and
// NETLINK stay, the last for route and uevent messages only.
int add_socket_rules(scmp_filter_ctx context) {
  for (unsigned family = kFirstRefusedFamily; family < kFamilyBound; ++family) {
    if (family == kFamilyInet6 || family == kFamilyNetlink) continue;
    if (const int error = add_rule(context, EAFNOSUPPORT, SCMP_SYS(socket), {equals_32(0, family)})) {
      return fail("socket", error);
    }
  }
  const scmp_arg_cmp beyond{0, SCMP_CMP_GE, kFamilyBound, 0};
  if (const int error = add_rule(context, EAFNOSUPPORT, SCMP_SYS(socket), {beyond})) return fail("socket", error);
  for (unsigned protocol = 0; protocol < kNetlinkBound; ++protocol) {
    if (protocol == kNetlinkRoute || protocol == kNetlinkUevent) continue;
    const int error =
        add_rule(context, EPERM, SCMP_SYS(socket), {equals_32(0, kFamilyNetlink), equals_32(2, protocol)});
    if (error != 0) return fail("netlink", error);
  }
  return 0;
}

int compile_deny(bool nested, std::vector<sock_filter>& program) {
  const scmp_filter_ctx context = seccomp_init(SCMP_ACT_ALLOW);
  if (context == nullptr) return fail("seccomp_init", ENOMEM);
  // The default for a foreign ABI is to kill; the guard filter answers first, this one agrees with it.
  int error = seccomp_attr_set(context, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_ERRNO(ENOSYS));
  if (error == 0) error = seccomp_attr_set(context, SCMP_FLTATR_CTL_OPTIMIZE, 2);
  if (error != 0) return fail("seccomp_attr_set", error);
  if (add_call_rules(context, nested) != 0 || add_socket_rules(context) != 0) return 1;

  const int file = memfd_create("deny", MFD_CLOEXEC);
  if (file < 0) return fail("memfd_create", errno);
  error = seccomp_export_bpf(context, file);
  if (error != 0) return fail("seccomp_export_bpf", error);
  const off_t size = lseek(file, 0, SEEK_CUR);
  program.resize(static_cast<std::size_t>(size) / sizeof(sock_filter));
  if (pread(file, program.data(), static_cast<std::size_t>(size), 0) != size) return fail("pread", errno);
  close(file);
  seccomp_release(context);
  return 0;
}

void write_function(std::ofstream& out, const std::string& name, const std::vector<sock_filter>& program) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(program.data());
  const std::size_t size = program.size() * sizeof(sock_filter);
  out << "namespace {\nalignas(8) constexpr char k_" << name << "[] =\n";
  for (std::size_t at = 0; at < size; at += 16) {
    out << "    \"";
    for (std::size_t index = at; index < std::min(size, at + 16); ++index) {
      char text[8];
      std::snprintf(text, sizeof text, "\\%03o", static_cast<unsigned>(bytes[index]));
      out << text;
    }
    out << "\"\n";
  }
  out << "    \"\";\n}  // namespace\n\nstd::string_view " << name << "() { return {k_" << name << ", " << size
      << "}; }\n\n";
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return fail("usage: seccomp_compiler OUTPUT", EINVAL);
  std::vector<sock_filter> deny;
  std::vector<sock_filter> nested_deny;
  if (compile_deny(false, deny) != 0 || compile_deny(true, nested_deny) != 0) return 1;
  if (deny.empty() || deny.size() > BPF_MAXINSNS) return fail("deny filter", E2BIG);
  std::ofstream out(argv[1], std::ios::trunc);
  out << "// SPDX-License-Identifier: Apache-2.0\n// Written by seccomp_compiler.\n"
      << "#include \"bwrap/seccomp_filter.h\"\n\nnamespace agentctl::bwrap {\n\n";
  write_function(out, "guard_filter", make_guard());
  write_function(out, "deny_filter", deny);
  write_function(out, "nested_deny_filter", nested_deny);
  out << "}  // namespace agentctl::bwrap\n";
  out.flush();
  return out ? 0 : fail(argv[1], EIO);
}
