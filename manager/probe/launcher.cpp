// SPDX-License-Identifier: Apache-2.0
#include "manager/probe/launcher.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/file.h"
#include "base/parent_death.h"
#include "base/text.h"
#include "bwrap/child_state.h"

namespace agentctl::probe {
namespace {

constexpr char kSignalled = 's';
constexpr char kEnded = 'e';  // the exit status follows
constexpr int kFailed = 125;
constexpr int kFirstLeftOpen = 17;

int bystander_tells = -1;

void tell_signal(int) { (void)!::write(bystander_tells, &kSignalled, 1); }

// The caller's state; what fails here is told by the control run.
void make_careless(const Launch& launch) {
  if (::chdir(launch.directory.c_str()) != 0) ::_exit(kFailed);
  ::umask(0);
  ::signal(SIGCHLD, SIG_IGN);
  rlimit core{};
  if (::getrlimit(RLIMIT_CORE, &core) == 0) {
    core.rlim_cur = core.rlim_max;
    ::setrlimit(RLIMIT_CORE, &core);
  }
  const int directory = ::open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  ::syscall(SYS_close_range, 3U, ~0U, CLOSE_RANGE_CLOEXEC);  // nothing of the host half's is left open by mistake
  ::fcntl(directory, F_DUPFD, kFirstLeftOpen);               // these are on purpose
  ::fcntl(0, F_DUPFD, kFirstLeftOpen);
  for (const std::string& variable : launch.environment) ::putenv(const_cast<char*>(variable.c_str()));
}

// Waits for the program, and passes on what the host half asks: a byte to end it, end of file to let go.
void stand_by(pid_t program, int control) {
  int asked = 0;
  const int pidfd = static_cast<int>(::syscall(SYS_pidfd_open, program, 0));
  pollfd watched[] = {{control, POLLIN, 0}, {pidfd, POLLIN, 0}};
  while (true) {
    if (::poll(watched, 2, -1) < 0 && errno == EINTR) continue;
    if (watched[1].revents != 0) return;
    char byte = 0;
    const ssize_t count = ::read(control, &byte, 1);
    if (count < 0 && errno == EINTR) continue;
    ::kill(program, count <= 0 || asked++ > 0 ? SIGKILL : SIGTERM);
    if (count <= 0) return;
  }
}

[[noreturn]] void run_launcher(const Launch& launch, pid_t parent, int told, int control, int errors) {
  die_with(parent);
  bwrap::reset_signals(false);
  if (::setsid() < 0 || ::ioctl(launch.terminal, TIOCSCTTY, 0) != 0) ::_exit(kFailed);
  if (::dup2(launch.terminal, 0) < 0 || ::dup2(launch.terminal, 1) < 0 || ::dup2(errors, 2) < 0) ::_exit(kFailed);
  bystander_tells = told;
  const pid_t self = ::getpid();
  const pid_t program = ::fork();
  if (program == 0) {
    die_with(self);
    make_careless(launch);
    ::_exit(launch.body());
  }
  struct sigaction action {};
  action.sa_handler = tell_signal;
  sigemptyset(&action.sa_mask);
  ::sigaction(SIGTERM, &action, nullptr);
  ::signal(SIGHUP, SIG_IGN);
  if (program > 0) stand_by(program, control);
  int status = 0;
  while (::waitpid(program, &status, 0) < 0 && errno == EINTR) {
  }
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  const char report[] = {kEnded, static_cast<char>(code)};
  (void)!::write(told, report, sizeof report);
  char byte = 0;
  while (::read(control, &byte, 1) != 0) {
  }
  ::_exit(0);
}

}  // namespace

Result<Launcher> Launcher::start(const Launch& launch) {
  Pipe told = AGENTCTL_TRY(make_pipe());
  Pipe control = AGENTCTL_TRY(make_pipe());
  Pipe errors = AGENTCTL_TRY(make_pipe());
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) return errno_error("cannot fork");
  if (pid == 0) {
    control.write_end.reset();  // or its end would not be seen
    run_launcher(launch, parent, told.write_end.get(), control.read_end.get(), errors.write_end.get());
  }
  return Launcher(pid, std::move(told.read_end), std::move(control.write_end), std::move(errors.read_end));
}

Launcher::Launcher(Launcher&& other) noexcept
    : pid_(std::exchange(other.pid_, 0)),
      told_(std::move(other.told_)),
      control_(std::move(other.control_)),
      errors_(std::move(other.errors_)),
      ended_(other.ended_),
      signalled_(other.signalled_),
      status_(other.status_) {}

Launcher::~Launcher() {
  if (pid_ <= 0) return;
  control_.reset();  // a program that still runs is killed by its launcher, which then ends
  ::waitpid(pid_, nullptr, 0);
}

void Launcher::take() {
  char bytes[64];
  const ssize_t count = ::read(told_.get(), bytes, sizeof bytes);
  if (count <= 0) ended_ = true;  // somebody has killed the launcher
  for (ssize_t at = 0; at < count; ++at) {
    if (bytes[at] == kSignalled) signalled_ = true;
    if (bytes[at] != kEnded) continue;
    ended_ = true;
    if (at + 1 < count) status_ = static_cast<unsigned char>(bytes[++at]);
  }
}

void Launcher::end() { (void)!::write(control_.get(), "e", 1); }

}  // namespace agentctl::probe
