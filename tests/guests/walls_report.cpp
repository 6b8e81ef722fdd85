// SPDX-License-Identifier: Apache-2.0
// What the sandbox around this program lets through, one attempt a line: "NAME ok" or "NAME ERRNO-TEXT". An attempt
// that succeeds is undone by the end of the process. The arguments name files to be written, after "read:" to be read.
#include <fcntl.h>
#include <linux/netlink.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>

namespace {

void report(const char* name, long result) {
  std::printf("%s %s\n", name, result >= 0 ? "ok" : ::strerrorname_np(errno));
}

void try_calls() {
  char parameters[256] = {};
  report("io_uring_setup", ::syscall(SYS_io_uring_setup, 4, parameters));
  report("unshare-user", ::unshare(CLONE_NEWUSER));
  report("clone3", ::syscall(SYS_clone3, nullptr, 0));
  report("keyctl", ::syscall(SYS_keyctl, 0, -3, 0));
  report("mount", ::mount("none", "/tmp", "tmpfs", 0, nullptr));
  report("socket-vsock", ::socket(AF_VSOCK, SOCK_STREAM, 0));
  report("socket-inet", ::socket(AF_INET, SOCK_STREAM, 0));
  report("socket-route", ::socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE));
  report("socket-audit", ::socket(AF_NETLINK, SOCK_RAW, NETLINK_AUDIT));
  char character = 'x';
  report("sti", ::syscall(SYS_ioctl, 0, 0x5412UL, &character));
  report("sti-high-bits", ::syscall(SYS_ioctl, 0, 0xabcd00005412UL, &character));
  report("unreviewed-call", ::syscall(1023));
  report("no-new-privileges", ::prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ? 0 : -1);
}

void print_status(const char* field) {
  std::FILE* status = std::fopen("/proc/self/status", "re");
  if (status == nullptr) return;
  char line[256];
  while (std::fgets(line, sizeof line, status) != nullptr) {
    if (std::strncmp(line, field, std::strlen(field)) == 0) std::fputs(line, stdout);
  }
  std::fclose(status);
}

}  // namespace

int main(int argc, char** argv) {
  try_calls();
  for (const char* field : {"Seccomp_filters:", "CapEff:", "CapBnd:"}) print_status(field);
  for (int index = 1; index < argc; ++index) {
    const std::string_view word = argv[index];
    const bool read_only = word.starts_with("read:");
    const char* path = argv[index] + (read_only ? 5 : 0);
    report(argv[index], ::open(path, read_only ? O_RDONLY | O_CLOEXEC : O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  }
  char directory[4096];
  std::printf("directory %s\n", ::getcwd(directory, sizeof directory) != nullptr ? directory : "gone");
  return 0;
}
