// SPDX-License-Identifier: Apache-2.0
#include "bwrap/file_lease.h"

#include <fcntl.h>
#include <signal.h>

#include <cerrno>

#include "base/text.h"

namespace agentctl::bwrap {

Openers find_openers(const UniqueFd& place) {
  const std::string path = cat("/proc/self/fd/", place.get());
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!file.valid()) return errno == EWOULDBLOCK ? Openers::some : Openers::unknown;  // under somebody's own lease
  // Whoever opens the file at this moment has us sent a signal, which is to be one that nobody minds.
  if (::fcntl(file.get(), F_SETSIG, SIGURG) != 0) return Openers::unknown;
  if (::fcntl(file.get(), F_SETLEASE, F_WRLCK) != 0) return errno == EAGAIN ? Openers::some : Openers::unknown;
  return ::fcntl(file.get(), F_SETLEASE, F_UNLCK) == 0 ? Openers::none : Openers::unknown;
}

}  // namespace agentctl::bwrap
