// SPDX-License-Identifier: Apache-2.0
#include "manager/exec_surface.h"

#include <time.h>

#include <algorithm>

#include "base/text.h"
#include "manager/surface_walk.h"

namespace agentctl::manager {
namespace {

std::int64_t read_clock(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

}  // namespace

SurfaceMark mark_surface() { return {read_clock(CLOCK_REALTIME_COARSE), read_clock(CLOCK_BOOTTIME)}; }

std::int64_t changed_since(const SurfaceMark& start, const SurfaceMark& end) {
  const std::int64_t set_back = (start.stamp - start.boot) - (end.stamp - end.boot);
  return start.stamp - std::max<std::int64_t>(set_back, 0);
}

std::vector<std::string> surface_roots(const bwrap::Plan& plan) {
  std::vector<std::string> roots;
  for (const bwrap::Operation& operation : plan.operations) {
    const bool bound =
        operation.kind == bwrap::OperationKind::bind || operation.kind == bwrap::OperationKind::bind_project;
    if (!bound || operation.access != bwrap::Access::read_write) continue;
    // What stands elsewhere on the host is kept by agentctl for its sessions alone.
    if (operation.source.str() != operation.destination.str()) continue;
    roots.push_back(operation.source.str());
  }
  std::sort(roots.begin(), roots.end());
  std::vector<std::string> highest;
  for (std::string& root : roots) {
    const auto holds = [&](const std::string& other) { return starts_with_path(root, other); };
    if (std::none_of(highest.begin(), highest.end(), holds)) highest.push_back(std::move(root));
  }
  return highest;
}

SurfaceReport report_surface(const std::vector<std::string>& roots, std::int64_t since_nsec,
                             const SurfaceBounds& bounds) {
  SurfaceWalk walk(since_nsec, bounds);
  for (const std::string& root : roots) walk.look_at(root);
  return walk.finish();
}

}  // namespace agentctl::manager
