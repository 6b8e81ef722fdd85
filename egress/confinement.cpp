// SPDX-License-Identifier: Apache-2.0
#include "egress/confinement.h"

#include <linux/capability.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "egress/socket_filter.h"

namespace agentctl::egress {
namespace {

// Those of root, too: what is left is a name that owns some files, of which none can be opened.
bool drop_capabilities() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  const std::array<__user_cap_data_struct, 2> none{};
  return ::syscall(SYS_capset, &header, none.data()) == 0;
}

void raise_descriptor_limit(rlim_t descriptors) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = std::max(limit.rlim_cur, std::min<rlim_t>(limit.rlim_max, descriptors));
  (void)::setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace

Result<void> give_up_privileges() {
  // SIGXFSZ: a limit of the caller's on the size of files is an error of the log's like any other (setrlimit(2)).
  for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGXFSZ}) ::signal(signal, SIG_IGN);
  sigset_t none;
  sigemptyset(&none);
  if (::sigprocmask(SIG_SETMASK, &none, nullptr) == 0 && drop_capabilities() &&
      ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0) {
    return {};
  }
  return errno_error("cannot give up privileges");
}

Result<void> confine_to_sockets(rlim_t descriptors) {
  raise_descriptor_limit(descriptors);
  AGENTCTL_TRY_VOID(give_up_privileges());
  return install_socket_filter();
}

}  // namespace agentctl::egress
