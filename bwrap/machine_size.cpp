// SPDX-License-Identifier: Apache-2.0
#include "bwrap/machine_size.h"

#include <sched.h>
#include <sys/sysinfo.h>

namespace agentctl::bwrap {

policy::MachineSize read_machine_size() {
  policy::MachineSize size;
  struct sysinfo info {};
  if (::sysinfo(&info) == 0) size.memory_bytes = static_cast<std::uint64_t>(info.totalram) * info.mem_unit;
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  if (::sched_getaffinity(0, sizeof cpus, &cpus) == 0 && CPU_COUNT(&cpus) > 0) {
    size.cpus = static_cast<unsigned>(CPU_COUNT(&cpus));
  }
  return size;
}

}  // namespace agentctl::bwrap
