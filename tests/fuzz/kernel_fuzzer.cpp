// SPDX-License-Identifier: Apache-2.0
// What the kernel tells of a session's processes, in which names are of the agent's choosing: status, mount table,
// cgroups, descriptors and mappings. The start's proof rests on the first two.
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "bwrap/bind_proof.h"
#include "bwrap/expected_mounts.h"
#include "bwrap/file_holders.h"
#include "bwrap/sandbox_proof.h"
#include "tests/fuzz/require.h"
#include "units/bus_address.h"
#include "units/cgroup.h"
#include "units/hierarchies.h"

namespace {

using namespace agentctl;  // a fuzzer belongs to no room

// The words of a line that tells `name`; "" where none does.
std::string told(std::string_view text, std::string_view name) {
  std::string found;
  for (const std::string& line : split(text, '\n')) {
    if (line.starts_with(cat(name, ":"))) found = trim(std::string_view(line).substr(name.size() + 1));
  }
  return found;
}

void check_status(std::string_view text) {
  constexpr std::size_t kFilters = 2;
  const std::vector<std::string> differences = bwrap::compare_status(text, kFilters);
  for (const std::string& difference : differences) fuzz::require_printable(difference);
  if (!differences.empty()) return;
  for (const char* set : {"CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"}) {
    fuzz::require(told(text, set).find_first_not_of('0') == std::string::npos);
  }
  fuzz::require(told(text, "NoNewPrivs") == "1" && told(text, "Seccomp") == "2");
  for (const char* weaker : {"\nSeccomp_filters:\t1\n", "\nNoNewPrivs:\t0\n", "\nCapEff:\t0000000000200000\n"}) {
    fuzz::require(!bwrap::compare_status(cat(text, weaker), kFilters).empty());
  }
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char byte : text) {
    const auto value = static_cast<unsigned char>(byte);
    const std::array<char, 4> octal = {'\\', static_cast<char>('0' + (value >> 6U)),
                                       static_cast<char>('0' + ((value >> 3U) & 7U)),
                                       static_cast<char>('0' + (value & 7U))};
    out.append(octal.data(), octal.size());
  }
  return out;
}

std::string line_of(const bwrap::MountEntry& mount) {
  return cat("1 2 ", mount.device, " ", escaped(mount.root), " ", escaped(mount.mount_point),
             mount.read_only ? " ro" : " rw", mount.receives ? " master:1" : "", " - ", mount.type, " none rw\n");
}

bwrap::Operation operation(bwrap::OperationKind kind, const std::string& destination, bwrap::Access access) {
  bwrap::Operation made;
  made.kind = kind;
  made.source = bwrap::HostPath(destination);
  made.destination = bwrap::SandboxPath(destination);
  made.access = access;
  return made;
}

const bwrap::Plan& sample_plan() {
  static const bwrap::Plan plan = [] {
    using bwrap::Access;
    using bwrap::OperationKind;
    bwrap::Plan made;
    made.operations = {operation(OperationKind::bind, "/usr", Access::read_only),
                       operation(OperationKind::tmpfs, "/tmp", Access::read_write),
                       operation(OperationKind::bind_project, "/p", Access::read_write),
                       operation(OperationKind::pin, "/p/.git", Access::read_write),
                       operation(OperationKind::bind, "/p/.git/config", Access::read_only),
                       operation(OperationKind::mask, "/p/.env", Access::read_only),
                       operation(OperationKind::remount_read_only, "/", Access::read_only)};
    return made;
  }();
  return plan;
}

void check_mounts(std::string_view text) {
  const std::vector<bwrap::MountEntry> mounts = bwrap::parse_mountinfo(text);
  fuzz::require(mounts.size() <= split(text, '\n').size());
  std::string again;
  for (const bwrap::MountEntry& mount : mounts) again += line_of(mount);
  const std::vector<bwrap::MountEntry> reread = bwrap::parse_mountinfo(again);
  fuzz::require(reread.size() == mounts.size());
  for (std::size_t at = 0; at < mounts.size(); ++at) {
    const bwrap::MountEntry& one = mounts[at];
    const bwrap::MountEntry& other = reread[at];
    fuzz::require(one.mount_point == other.mount_point && one.root == other.root && one.device == other.device);
    fuzz::require(one.type == other.type && one.read_only == other.read_only && one.receives == other.receives);
  }
  const bwrap::ExpectedMounts expected(sample_plan());
  const bwrap::ExpectedBinds binds(sample_plan());
  for (const auto& differences :
       {expected.compare(mounts), binds.compare_roots(mounts), bwrap::compare_propagation(mounts)}) {
    for (const std::string& difference : differences) fuzz::require_printable(difference);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check_status(text);
  check_mounts(text);

  const units::Membership membership = units::parse_membership(text);
  for (const std::string* path : {&membership.unified, &membership.memory, &membership.systemd}) {
    fuzz::require(path->find('\n') == std::string::npos);
  }
  (void)units::shares_pid_namespace(std::string(text));
  (void)units::parse_hierarchies(text, text);
  (void)bwrap::has_waiting_descriptors(text);
  const bwrap::ProtectedPlace place{"/p/.git", {1, 2}, true};
  for (const std::string& line : split(text, '\n')) (void)bwrap::is_shared_mapping(line, place);
  return 0;
}
