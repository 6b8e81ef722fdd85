// SPDX-License-Identifier: Apache-2.0
// agentctl-probe: the inside half of `agentctl probe`, a small static program that runs wherever the host half wants to
// know what the walls hold: in a sandbox, and before that without one. It makes every attempt in a process of its own
// and prints one line for each:
//
//   TAG blocked|open|skip|crash NAME DETAIL        TAG is of this run; DETAIL is plain ASCII
//
//   agentctl-probe report=TAG [KEY=VALUE…]         what the host half has planted
//   agentctl-probe canary FD …                     not inside: a process to be found; see canary.cpp
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

#include "manager/probe/inside/attempt.h"
#include "manager/probe/inside/canary.h"

namespace agentctl::probe {
namespace {

constexpr unsigned kAttemptSeconds = 20;
constexpr int kReaderMsec = 5000;

char** words = nullptr;

void print(const char* result, const char* name, const char* detail) {
  char line[400];
  std::size_t length =
      static_cast<std::size_t>(std::snprintf(line, sizeof line, "%s %s %s %s", told("report"), result, name, detail));
  if (length >= sizeof line) length = sizeof line - 1;
  for (std::size_t at = 0; at < length; ++at) {
    if (line[at] < ' ' || line[at] > '~') line[at] = '?';
  }
  line[length++] = '\n';
  for (std::size_t done = 0; done < length;) {
    const ssize_t count = ::write(1, line + done, length - done);
    pollfd writable{1, POLLOUT, 0};
    if (count < 0 && errno == EAGAIN && ::poll(&writable, 1, kReaderMsec) == 1) continue;  // one attempt made it so
    if (count <= 0) return;
    done += static_cast<std::size_t>(count);
  }
}

void report(const char* name, const Outcome& outcome, int status) {
  char detail[64];
  switch (outcome.finding) {
    case Finding::blocked:
      return print("blocked", name, outcome.detail);
    case Finding::open:
      return print("open", name, outcome.detail);
    case Finding::skip:
      return print("skip", name, outcome.detail);
    case Finding::none:
      break;
  }
  if (WIFSIGNALED(status))
    std::snprintf(detail, sizeof detail, "SIG%s", ::sigabbrev_np(WTERMSIG(status)));
  else
    std::snprintf(detail, sizeof detail, "exited with %d and said nothing", WEXITSTATUS(status));
  print("crash", name, detail);
}

void run(const Attempt& attempt, Outcome& outcome) {
  outcome.finding = Finding::none;
  outcome.detail[0] = 0;
  const pid_t child = ::fork();
  if (child < 0) return print("crash", attempt.name, "cannot fork");
  if (child == 0) {
    ::alarm(kAttemptSeconds);
    attempt.run(outcome);
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  report(attempt.name, outcome, status);
}

int run_all() {
  void* const shared = ::mmap(nullptr, sizeof(Outcome), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return 1;
  ::signal(SIGTERM, SIG_IGN);  // one attempt sends it to this process group
  ::signal(SIGCHLD, SIG_DFL);
  for (const AttemptList& list : {file_attempts(), project_attempts(), environment_attempts(), endpoint_attempts(),
                                  process_attempts(), kernel_object_attempts(), call_attempts(), namespace_attempts(),
                                  limit_attempts(), terminal_attempts(), last_attempts()}) {
    for (std::size_t index = 0; index < list.count; ++index) run(list.first[index], *static_cast<Outcome*>(shared));
  }
  print("end", "-", "-");
  return 0;
}

}  // namespace

const char* told(const char* key) {
  const std::size_t length = std::strlen(key);
  for (char** word = words; *word != nullptr; ++word) {
    if (std::strncmp(*word, key, length) == 0 && (*word)[length] == '=') return *word + length + 1;
  }
  return "";
}

long told_number(const char* key) { return std::strtol(told(key), nullptr, 0); }

bool is_told(const char* key) { return told(key)[0] != 0; }

}  // namespace agentctl::probe

int main(int argc, char** argv) {
  using namespace agentctl::probe;
  if (argc >= 3 && std::strcmp(argv[1], "canary") == 0) return be_canary(std::atoi(argv[2]));
  words = argv + 1;
  if (argc < 2 || !is_told("report")) {
    std::fputs("agentctl-probe: the inside half of 'agentctl probe', which starts it\n", stderr);
    return 2;
  }
  return run_all();
}
