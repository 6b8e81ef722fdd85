// SPDX-License-Identifier: Apache-2.0
#include "units/private_manager_child.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace agentctl::units {
namespace {

constexpr char kTarget[] = "[Unit]\nDescription=agentctl private manager\nDefaultDependencies=no\n";

[[noreturn]] void fail(const ManagerChild& child, ManagerStep step) {
  const FailedStep failed{step, errno};
  (void)!::write(child.report, &failed, sizeof failed);
  ::_exit(125);
}

bool write_file(const char* path, int flags, const char* text, std::size_t size) {
  const int fd = ::open(path, O_WRONLY | O_CLOEXEC | flags, 0644);
  if (fd < 0) return false;
  const bool written = ::write(fd, text, size) == static_cast<ssize_t>(size);
  ::close(fd);
  return written;
}

// In place of the old ones: each shows the subtree as its root now, because of the cgroup namespace. (One file system
// is not mounted twice over the same point.)
bool mount_cgroups(const ManagerChild& child) {
  for (const Hierarchy& hierarchy : child.hierarchies) {
    if (::umount2(hierarchy.mount_point.c_str(), MNT_DETACH) != 0) return false;
    if (::mount("none", hierarchy.mount_point.c_str(), hierarchy.unified ? "cgroup2" : "cgroup",
                MS_NOSUID | MS_NODEV | MS_NOEXEC,
                hierarchy.options.empty() ? nullptr : hierarchy.options.c_str()) != 0) {
      return false;
    }
  }
  return true;
}

// /run/systemd/system says that systemd is the init system; without it a user manager exits (sd_booted(3)). The target
// holds nothing, so that nothing of the user's own services is started a second time.
bool make_runtime_dir() {
  if (::mount("tmpfs", "/run", "tmpfs", MS_NOSUID | MS_NODEV, "mode=755") != 0) return false;
  for (const char* directory : {"/run/systemd", "/run/systemd/system", "/run/user"}) {
    if (::mkdir(directory, 0755) != 0) return false;
  }
  for (const char* directory : {"/run/user/0", "/run/user/0/systemd", "/run/user/0/systemd/user", "/run/user/0/none"}) {
    if (::mkdir(directory, 0700) != 0) return false;
  }
  return write_file("/run/user/0/systemd/user/agentctl.target", O_CREAT | O_EXCL, kTarget, sizeof kTarget - 1);
}

// systemd opens /dev/console whatever its streams are: that must not be the machine's.
bool redirect_streams() {
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  const int log = ::open(kPrivateLog, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600);
  if (null < 0 || log < 0 || ::dup2(null, 0) < 0 || ::dup2(null, 1) < 0 || ::dup2(log, 2) < 0) return false;
  return ::access("/dev/console", F_OK) != 0 || ::mount(kPrivateLog, "/dev/console", nullptr, MS_BIND, nullptr) == 0;
}

void reset_signals() {
  struct sigaction action {};
  action.sa_handler = SIG_DFL;
  for (int signal = 1; signal < _NSIG; ++signal) ::sigaction(signal, &action, nullptr);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

std::vector<char*> pointers(const std::vector<std::string>& words) {
  std::vector<char*> out;
  out.reserve(words.size() + 1);
  for (const std::string& word : words) out.push_back(const_cast<char*>(word.c_str()));
  out.push_back(nullptr);
  return out;
}

}  // namespace

const char* describe(ManagerStep step) {
  switch (step) {
    case ManagerStep::parent_death:
      return "cannot tie its life to ours";
    case ManagerStep::cgroups:
      return "cannot enter its cgroups";
    case ManagerStep::namespaces:
      return "cannot make its cgroup and mount namespaces";
    case ManagerStep::mounts:
      return "cannot mount the cgroup file systems in its namespaces";
    case ManagerStep::runtime_dir:
      return "cannot make its /run";
    case ManagerStep::streams:
      return "cannot set up its standard streams";
    case ManagerStep::exec:
      return "cannot execute it";
  }
  return "unknown step";
}

void run_manager_child(const ManagerChild& child) {
  if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) fail(child, ManagerStep::parent_death);
  if (::getppid() != child.parent) ::_exit(125);  // it died before the line above
  reset_signals();
  ::setsid();  // keys of our terminal are not for it
  for (const std::string& file : child.procs_files) {
    if (!write_file(file.c_str(), 0, "0", 1)) fail(child, ManagerStep::cgroups);
  }
  if (::unshare(CLONE_NEWNS | CLONE_NEWCGROUP) != 0) fail(child, ManagerStep::namespaces);
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) fail(child, ManagerStep::namespaces);
  if (!mount_cgroups(child)) fail(child, ManagerStep::mounts);
  if (!make_runtime_dir() || ::chdir("/") != 0) fail(child, ManagerStep::runtime_dir);
  ::umask(022);
  if (!redirect_streams() || ::syscall(SYS_close_range, 3U, ~0U, CLOSE_RANGE_CLOEXEC) != 0) {
    fail(child, ManagerStep::streams);
  }
  std::vector<char*> arguments = pointers(child.arguments);
  std::vector<char*> environment = pointers(child.environment);
  ::execve(child.program.c_str(), arguments.data(), environment.data());
  fail(child, ManagerStep::exec);
}

}  // namespace agentctl::units
