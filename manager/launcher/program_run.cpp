// SPDX-License-Identifier: Apache-2.0
#include "manager/launcher/program_run.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "base/file.h"
#include "base/text.h"
#include "base/unique_fd.h"
#include "manager/exit_status.h"

namespace agentctl::launcher {
namespace {

constexpr std::size_t kMostOutput = 64U << 10;
constexpr const char* kUsualPath = "/usr/local/bin:/usr/bin:/bin";

struct SpawnSettings {
  SpawnSettings() {
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawnattr_init(&attributes);
  }
  ~SpawnSettings() {
    ::posix_spawn_file_actions_destroy(&actions);
    ::posix_spawnattr_destroy(&attributes);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;

  posix_spawn_file_actions_t actions{};
  posix_spawnattr_t attributes{};
};

void set_signals(SpawnSettings& settings, bool own_session) {
  sigset_t none;
  sigset_t ours;
  ::sigemptyset(&none);
  ::sigemptyset(&ours);
  for (const int signal : {SIGINT, SIGQUIT, SIGPIPE, SIGCHLD, SIGUSR1}) ::sigaddset(&ours, signal);
  ::posix_spawnattr_setsigmask(&settings.attributes, &none);
  ::posix_spawnattr_setsigdefault(&settings.attributes, &ours);
  const int flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | (own_session ? POSIX_SPAWN_SETSID : 0);
  ::posix_spawnattr_setflags(&settings.attributes, static_cast<short>(flags));
}

bool is_program(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && ::access(path.c_str(), X_OK) == 0;
}

}  // namespace

Result<pid_t> spawn(const SpawnRequest& request) {
  SpawnSettings settings;
  set_signals(settings, request.own_session);
  const auto redirect = [&](int from, int to) {
    if (from >= 0) ::posix_spawn_file_actions_adddup2(&settings.actions, from, to);
  };
  if (request.standard_input < 0)
    ::posix_spawn_file_actions_addopen(&settings.actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  redirect(request.standard_input, STDIN_FILENO);
  redirect(request.standard_output, STDOUT_FILENO);
  redirect(request.standard_error, STDERR_FILENO);
  std::vector<std::string> words = request.argv;
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_t pid = 0;
  const int failed = ::posix_spawn(&pid, argv[0], &settings.actions, &settings.attributes, argv.data(), environ);
  if (failed != 0) return errno_error(failed, cat("cannot run '", printable(request.argv[0]), "'"));
  return pid;
}

Result<int> await_exit(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0) {
    if (errno != EINTR) return errno_error(cat("cannot wait for process ", pid));
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : manager::kExitSignalBase + WTERMSIG(status);
}

Result<ProgramEnd> run_program(const std::vector<std::string>& argv, bool with_errors) {
  Pipe pipe = AGENTCTL_TRY(make_pipe());
  SpawnRequest request;
  request.argv = argv;
  request.standard_output = pipe.write_end.get();
  if (with_errors) request.standard_error = pipe.write_end.get();
  const pid_t pid = AGENTCTL_TRY(spawn(request));
  pipe.write_end.reset();
  ProgramEnd end;
  char bytes[4096];
  ssize_t count = 0;
  while ((count = ::read(pipe.read_end.get(), bytes, sizeof bytes)) > 0 || (count < 0 && errno == EINTR)) {
    if (count > 0 && end.output.size() < kMostOutput) end.output.append(bytes, static_cast<std::size_t>(count));
  }
  end.status = AGENTCTL_TRY(await_exit(pid));
  return end;
}

std::string find_program(const std::string& name) {
  if (name.empty()) return {};
  if (name.find('/') != std::string::npos) return name[0] == '/' && is_program(name) ? name : std::string();
  const char* path = ::getenv("PATH");
  for (const std::string& directory : split(path == nullptr ? kUsualPath : path, ':')) {
    const std::string program = cat(directory, "/", name);
    if (directory.starts_with('/') && is_program(program)) return program;
  }
  return {};
}

}  // namespace agentctl::launcher
