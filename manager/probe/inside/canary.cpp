// SPDX-License-Identifier: Apache-2.0
#include "manager/probe/inside/canary.h"

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace agentctl::probe {
namespace {

char secret[64];
int told_to = -1;

void tell(int) { (void)!::write(told_to, "s", 1); }

}  // namespace

int be_canary(int fd) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);  // where Yama is: what is tested is the sandbox
  const char* value = std::getenv(kCanaryVariable);
  if (value == nullptr) return 1;
  std::snprintf(secret, sizeof secret, "%s", value);
  told_to = fd;
  ::signal(SIGUSR1, tell);
  char line[32];
  const int length = std::snprintf(line, sizeof line, "%lx\n", reinterpret_cast<unsigned long>(secret));
  if (::write(fd, line, static_cast<std::size_t>(length)) != length) return 1;
  while (true) ::pause();
}

}  // namespace agentctl::probe
