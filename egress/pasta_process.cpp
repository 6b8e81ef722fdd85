// SPDX-License-Identifier: Apache-2.0
#include "egress/pasta_process.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/parent_death.h"
#include "base/text.h"
#include "egress/pasta_command.h"

namespace agentctl::egress {
namespace {

constexpr const char* kInstallHint =
    "install passt from your distribution, for example: apt install passt; or choose another network: --net none "
    "or host";
constexpr const char* kDevice = "/dev/net/tun";
constexpr int kNamespace = 3;
constexpr unsigned long kKept[] = {CAP_NET_ADMIN, CAP_SYS_ADMIN, CAP_NET_BIND_SERVICE, CAP_SETUID, CAP_SETGID};

Result<void> check_unchanged(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return errno_error(cat("cannot examine '", path, "'"));
  if (status.st_uid == 0 && (status.st_mode & (S_IWGRP | S_IWOTH | S_ISUID | S_ISGID)) == 0) return {};
  return make_error(ErrorKind::environment,
                    cat("refused to use '", path, "': others than root may change it, or it is set-uid"), kInstallHint);
}

// Those of the user namespace's owner, kept over execve(2) as ambient ones: capabilities(7).
bool keep_capabilities() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, 2> sets{};
  if (::syscall(SYS_capget, &header, sets.data()) != 0) return false;
  for (__user_cap_data_struct& set : sets) set.inheritable = set.permitted;
  if (::syscall(SYS_capset, &header, sets.data()) != 0) return false;
  for (const unsigned long capability : kKept) {
    if (::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, capability, 0, 0) != 0) return false;
  }
  return true;
}

[[noreturn]] void run(pid_t parent, const std::string& program, std::vector<char*> argv, const NetworkNamespace& space,
                      int words) {
  const auto end = [&](const std::string& line) {
    (void)!::write(words, line.data(), line.size());
    ::_exit(125);
  };
  const auto fail = [&](std::string_view what) { end(errno_error(what).message); };
  if (const auto entered = space.enter_owner(); !entered) end(entered.error().message);
  if (!keep_capabilities()) fail("cannot keep the capabilities of the network's owner");
  die_with(parent);  // only now: the change of credentials forgets it
  // As a program of any shell's: pasta takes an ignored SIGPIPE for a fault.
  for (int signal = 1; signal < NSIG; ++signal) ::signal(signal, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  if (nothing < 0 || ::dup2(nothing, 0) < 0 || ::dup2(nothing, 1) < 0 || ::dup2(words, 2) < 0) fail("dup2");
  if (::dup2(space.fd(), kNamespace) < 0) fail("dup2");
  if (::syscall(SYS_close_range, kNamespace + 1, ~0U, 0) != 0) fail("close_range");
  if (::chdir("/") != 0) fail("chdir");
  std::array<char*, 1> environment = {nullptr};
  ::execve(program.c_str(), argv.data(), environment.data());
  fail(cat("cannot run '", program, "'"));
  ::_exit(125);
}

}  // namespace

Result<std::string> find_pasta() {
  for (const char* path : {"/usr/bin/pasta", "/usr/local/bin/pasta", "/run/current-system/sw/bin/pasta"}) {
    if (::access(path, X_OK) != 0) continue;
    AGENTCTL_TRY_VOID(check_unchanged(path));
    if (::access(kDevice, R_OK | W_OK) == 0) return std::string(path);
    return make_error(
        ErrorKind::environment, errno_error(cat("network nat needs '", kDevice, "'")).message,
        "load the kernel's module: modprobe tun; everybody must be able to open the device; or --net none");
  }
  return make_error(ErrorKind::environment, "network nat needs pasta, which is not found", kInstallHint);
}

Result<PastaProcess> PastaProcess::start(const std::string& program, const InnerNetwork& inner,
                                         const NetworkNamespace& space) {
  std::vector<std::string> words = pasta_command(inner, kNamespace);
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  Pipe said = AGENTCTL_TRY(make_pipe());
  // Nobody reads it while all goes well, and nothing that it says may hold it up.
  if (::fcntl(said.write_end.get(), F_SETFL, O_NONBLOCK) != 0) return errno_error("fcntl");
  const pid_t parent = ::getpid();
  ChildProcess process =
      AGENTCTL_TRY(ChildProcess::fork([&] { run(parent, program, std::move(argv), space, said.write_end.get()); },
                                      ChildProcess::DiesWithParent::itself));
  return PastaProcess(std::move(process), std::move(said.read_end));
}

std::string PastaProcess::last_words() const {
  std::array<char, 4096> text{};
  if (::fcntl(words_.get(), F_SETFL, O_NONBLOCK) != 0) return {};
  const ssize_t size = ::read(words_.get(), text.data(), text.size());
  if (size <= 0) return {};
  const std::string_view all = trim({text.data(), static_cast<std::size_t>(size)});
  return printable(all.substr(all.rfind('\n') == std::string_view::npos ? 0 : all.rfind('\n') + 1));
}

}  // namespace agentctl::egress
