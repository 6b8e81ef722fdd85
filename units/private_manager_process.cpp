// SPDX-License-Identifier: Apache-2.0
#include "units/private_manager_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/inotify.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <utility>

#include "base/event_loop.h"
#include "base/file.h"
#include "base/process.h"
#include "base/text.h"
#include "units/bus_address.h"
#include "units/private_manager_child.h"

namespace agentctl::units {
namespace {

constexpr int kTermMsec = 2000;
constexpr unsigned kConnectMsec = 1000;
constexpr std::uint64_t kUsecPerMsec = 1000;

Result<std::string> find_program() {
  for (const char* program : {"/lib/systemd/systemd", "/usr/lib/systemd/systemd"}) {
    if (::access(program, X_OK) == 0) return std::string(program);
  }
  return make_error(ErrorKind::environment, "cannot run a private service manager: systemd not found",
                    "install the package systemd; it need not be the init system");
}

// Drop-ins of the user's count for a private manager too, and the read-back sees their effect.
std::vector<std::string> manager_environment() {
  std::vector<std::string> environment = {
      "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C.UTF-8",
      cat("XDG_RUNTIME_DIR=", kPrivateRuntimeDir), "SYSTEMD_LOG_TARGET=console", "SYSTEMD_LOG_LEVEL=err",
      // Generators would make units of the desktop's autostart entries: work for nothing.
      cat("SYSTEMD_GENERATOR_PATH=", kPrivateRuntimeDir, "/none"),
      cat("SYSTEMD_ENVIRONMENT_GENERATOR_PATH=", kPrivateRuntimeDir, "/none")};
  for (const char* name : {"HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"}) {
    if (const char* value = ::secure_getenv(name)) environment.push_back(cat(name, "=", value));
  }
  return environment;
}

Error refusal(std::string_view cause) {
  return make_error(ErrorKind::environment, cat("cannot run a private service manager: ", cause));
}

}  // namespace

std::string private_manager_socket(pid_t pid) { return cat("/proc/", pid, "/root/run/user/0/systemd/private"); }

Result<PrivateManagerProcess> PrivateManagerProcess::start(const PrivateSubtree& subtree, unsigned msec) {
  const std::uint64_t begun = monotonic_usec();
  ManagerChild child;
  child.program = AGENTCTL_TRY(find_program());
  child.arguments = {child.program, "--user", "--unit=agentctl.target"};
  child.environment = manager_environment();
  child.hierarchies = subtree.hierarchies();
  for (const std::string& directory : subtree.directories())
    child.procs_files.push_back(cat(directory, "/cgroup.procs"));
  child.parent = ::getpid();
  Pipe report = AGENTCTL_TRY(make_pipe());
  child.report = report.write_end.get();

  const pid_t pid = ::fork();
  if (pid < 0) return errno_error("cannot fork");
  if (pid == 0) run_manager_child(child);
  report.write_end.reset();
  PrivateManagerProcess process(pid);
  process.pidfd_ = AGENTCTL_TRY(open_pidfd(pid));

  FailedStep failed{};
  ssize_t count = 0;
  do {
    count = ::read(report.read_end.get(), &failed, sizeof failed);
  } while (count < 0 && errno == EINTR);
  if (count == sizeof failed) return refusal(errno_error(failed.error, describe(failed.step)).message);
  process.log_.reset(::open(cat("/proc/", pid, "/root", kPrivateLog).c_str(), O_RDONLY | O_CLOEXEC));
  const std::uint64_t spent = (monotonic_usec() - begun) / kUsecPerMsec;
  AGENTCTL_TRY_VOID(process.wait_for_socket(spent < msec ? msec - static_cast<unsigned>(spent) : 0));
  return process;
}

// Seen from here the manager's /run is below its root in /proc.
Result<void> PrivateManagerProcess::wait_for_socket(unsigned msec) const {
  const std::uint64_t deadline = monotonic_usec() + msec * kUsecPerMsec;
  const UniqueFd watch(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  const std::string directory = cat("/proc/", pid_, "/root/run/user/0/systemd");
  if (!watch.valid() || ::inotify_add_watch(watch.get(), directory.c_str(), IN_CREATE) < 0) {
    return explain("cannot watch its runtime directory");
  }
  while (true) {
    const bool there = ::access(socket().c_str(), F_OK) == 0;
    if (there && connect_socket(socket(), ::geteuid(), kConnectMsec)) return {};
    const std::uint64_t now = monotonic_usec();
    if (now >= deadline) return explain(cat("it did not answer within ", msec, " ms"));
    const auto left = static_cast<int>((deadline - now) / kUsecPerMsec) + 1;
    pollfd ready[2] = {{watch.get(), POLLIN, 0}, {pidfd_.get(), POLLIN, 0}};
    ::poll(ready, 2, there ? 1 : left);  // between bind and listen the socket is there and refuses
    if ((ready[1].revents & POLLIN) != 0) return explain("it ended at once");
    char events[4096];
    while (::read(watch.get(), events, sizeof events) > 0) {
    }
  }
}

Error PrivateManagerProcess::explain(std::string_view what) const {
  std::string log(4096, '\0');
  const ssize_t count = ::pread(log_.get(), log.data(), log.size(), 0);
  log.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  const std::string_view first = trim(std::string_view(log).substr(0, log.find('\n')));
  return refusal(first.empty() ? std::string(what) : cat(what, ": ", printable(first)));
}

PrivateManagerProcess::PrivateManagerProcess(PrivateManagerProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, 0)), pidfd_(std::move(other.pidfd_)), log_(std::move(other.log_)) {}

PrivateManagerProcess::~PrivateManagerProcess() {
  if (pid_ <= 0) return;
  if (pidfd_.valid() && signal_pidfd(pidfd_.get(), SIGTERM)) {
    pollfd ended{pidfd_.get(), POLLIN, 0};
    while (::poll(&ended, 1, kTermMsec) < 0 && errno == EINTR) {
    }
  }
  ::kill(pid_, SIGKILL);  // ours and not reaped, so the number cannot be another's
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace agentctl::units
