// SPDX-License-Identifier: Apache-2.0
#include "manager/limit_help.h"

namespace agentctl::manager {

const char* limit_help(std::string_view key) {
  if (key == "memory-max") return "hard limit of memory, e.g. 8G or 60% of RAM";
  if (key == "memory-high") return "memory above which the session is slowed down";
  if (key == "swap-max") return "hard limit of swap (default 0)";
  if (key == "cpu-quota") return "CPU time, e.g. 150% for one and a half CPUs";
  if (key == "cpu-weight") return "share of the CPU when it is short, 1 to 10000 (default 50)";
  if (key == "tasks-max") return "how many processes and threads (default 4096)";
  if (key == "io-weight") return "share of the disks when they are busy, 1 to 10000";
  if (key == "runtime-max") return "how long the session may run, e.g. 90min";
  return "what the memory limit kills: process or session";
}

}  // namespace agentctl::manager
