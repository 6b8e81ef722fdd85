// SPDX-License-Identifier: Apache-2.0
#include "base/slow_close.h"

#include <linux/io_uring.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace agentctl {

void close_without_waiting(UniqueFd fd) {
  if (!fd.valid()) return;
  io_uring_params parameters{};
  const UniqueFd ring(static_cast<int>(::syscall(SYS_io_uring_setup, 1, &parameters)));
  if (!ring.valid()) return;
  const int file = fd.get();
  (void)::syscall(SYS_io_uring_register, ring.get(), IORING_REGISTER_FILES, &file, 1);
  fd.reset();  // before the ring
}

}  // namespace agentctl
