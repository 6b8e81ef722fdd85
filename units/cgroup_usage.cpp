// SPDX-License-Identifier: Apache-2.0
// What a cgroup uses and has used. Sources: cgroup-v2.rst; cgroup-v1/memory.rst, cpuacct.rst, blkio-controller.rst.
#include "base/text.h"
#include "units/cgroup.h"
#include "units/cgroup_file.h"

namespace agentctl::units {
namespace {

constexpr std::uint64_t kNsecPerUsec = 1000;

std::optional<std::uint64_t> to_usec(std::optional<std::uint64_t> nsec) {
  if (!nsec) return std::nullopt;
  return *nsec / kNsecPerUsec;
}

std::optional<std::uint64_t> find_in_file(const UniqueFd& dir, const char* file, std::string_view key) {
  const auto text = read_text(dir, file);
  return text ? find_value(*text, key) : std::nullopt;
}

// io.stat: "8:0 rbytes=1 wbytes=2 …", a line for each device.
std::optional<std::uint64_t> sum_io_stat(const std::string& text, std::string_view key) {
  std::uint64_t sum = 0;
  for (const std::string& line : split(text, '\n')) {
    for (const std::string& word : split(line, ' ')) {
      if (word.starts_with(key)) sum += parse_number(std::string_view(word).substr(key.size())).value_or(0);
    }
  }
  return sum;
}

// blkio.throttle.io_service_bytes: "8:0 Read 4096", a line for each device and direction.
std::optional<std::uint64_t> sum_blkio(const std::string& text, std::string_view direction) {
  std::uint64_t sum = 0;
  for (const std::string& line : split(text, '\n')) {
    const std::vector<std::string> words = split(line, ' ');
    if (words.size() == 3 && words[1] == direction) sum += parse_number(words[2]).value_or(0);
  }
  return sum;
}

void read_unified(const UniqueFd& dir, CgroupUsage& usage) {
  usage.memory = read_number(dir, "memory.current");
  usage.memory_peak = read_number(dir, "memory.peak");
  usage.tasks = read_number(dir, "pids.current");
  usage.tasks_peak = read_number(dir, "pids.peak");
  if (const auto stat = read_text(dir, "cpu.stat")) {  // there even without the controller
    usage.cpu_usec = find_value(*stat, "usage_usec");
    usage.throttled_usec = find_value(*stat, "throttled_usec");
  }
  if (const auto stat = read_text(dir, "io.stat")) {
    usage.io_read_bytes = sum_io_stat(*stat, "rbytes=");
    usage.io_write_bytes = sum_io_stat(*stat, "wbytes=");
  }
  if (const auto events = read_text(dir, "memory.events")) {
    usage.oom_kills = find_value(*events, "oom_kill").value_or(0);
    usage.memory_max_hits = find_value(*events, "max").value_or(0);
  }
  usage.tasks_max_hits = find_in_file(dir, "pids.events", "max").value_or(0);
}

}  // namespace

CgroupUsage Cgroup::read_usage() const {
  CgroupUsage usage;
  read_unified(unified_, usage);
  if (version_ == 2) return usage;
  usage.memory = read_number(memory_, "memory.usage_in_bytes");
  usage.memory_peak = read_number(memory_, "memory.max_usage_in_bytes");
  if (!usage.cpu_usec) usage.cpu_usec = to_usec(read_number(cpuacct_, "cpuacct.usage"));
  usage.throttled_usec = to_usec(find_in_file(cpu_, "cpu.stat", "throttled_time"));
  usage.tasks = read_number(pids_, "pids.current");
  usage.tasks_peak = read_number(pids_, "pids.peak");
  if (const auto bytes = read_text(blkio_, "blkio.throttle.io_service_bytes")) {
    usage.io_read_bytes = sum_blkio(*bytes, "Read");
    usage.io_write_bytes = sum_blkio(*bytes, "Write");
  }
  usage.oom_kills = find_in_file(memory_, "memory.oom_control", "oom_kill").value_or(0);
  usage.memory_max_hits = read_number(memory_, "memory.failcnt").value_or(0);
  usage.tasks_max_hits = find_in_file(pids_, "pids.events", "max").value_or(0);
  return usage;
}

}  // namespace agentctl::units
