// SPDX-License-Identifier: Apache-2.0
// What a program finds itself with after exec, one fact a line: for tests of who executed it.
#include <dirent.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <initializer_list>

extern char** environ;

int main() {
  int death_signal = 0;
  ::prctl(PR_GET_PDEATHSIG, &death_signal);
  std::printf("parent-death-signal %d\n", death_signal);

  DIR* directory = ::opendir("/proc/self/fd");
  if (directory == nullptr) return 1;
  while (const dirent* entry = ::readdir(directory)) {
    const int fd = std::atoi(entry->d_name);
    if (entry->d_name[0] != '.' && fd != ::dirfd(directory)) std::printf("descriptor %d\n", fd);
  }
  ::closedir(directory);

  for (char** variable = environ; *variable != nullptr; ++variable) std::printf("variable %s\n", *variable);
  for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP, SIGUSR1, SIGPIPE}) {
    struct sigaction action {};
    ::sigaction(signal, nullptr, &action);
    if (action.sa_handler == SIG_IGN) std::printf("ignored %d\n", signal);
  }
  rlimit core{};
  ::getrlimit(RLIMIT_CORE, &core);
  std::printf("core-limit %llu\n", static_cast<unsigned long long>(core.rlim_max));
  std::printf("session-leader %d\n", ::getsid(0) == ::getpid() ? 1 : 0);
  return 0;
}
