// SPDX-License-Identifier: Apache-2.0
#include "egress/network_namespace.h"

#include <fcntl.h>
#include <linux/nsfs.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include <string>
#include <utility>

#include "base/file.h"
#include "base/text.h"

namespace agentctl::egress {

Result<NetworkNamespace> NetworkNamespace::of(pid_t inside) {
  UniqueFd network = AGENTCTL_TRY(open_at(AT_FDCWD, cat("/proc/", inside, "/ns/net"), O_RDONLY));
  struct stat theirs {};
  struct stat ours {};
  if (::fstat(network.get(), &theirs) != 0 || ::stat("/proc/self/ns/net", &ours) != 0) {
    return errno_error("cannot look at the network of the sandbox");
  }
  if (theirs.st_dev == ours.st_dev && theirs.st_ino == ours.st_ino) {
    return make_error(ErrorKind::environment, "the sandbox has no network of its own");
  }
  UniqueFd owner(::ioctl(network.get(), NS_GET_USERNS));
  if (!owner.valid()) return errno_error("cannot find the user namespace of the sandbox's network");
  return NetworkNamespace(std::move(network), std::move(owner));
}

Result<void> NetworkNamespace::enter_owner() const {
  if (::setns(owner_.get(), CLONE_NEWUSER) == 0) return {};
  return errno_error("cannot enter the user namespace of the sandbox's network");
}

Result<void> NetworkNamespace::enter() const {
  AGENTCTL_TRY_VOID(enter_owner());
  if (::setns(network_.get(), CLONE_NEWNET) == 0) return {};
  return errno_error("cannot enter the network of the sandbox");
}

}  // namespace agentctl::egress
