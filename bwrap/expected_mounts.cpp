// SPDX-License-Identifier: Apache-2.0
#include "bwrap/expected_mounts.h"

#include <map>
#include <utility>

#include "base/text.h"
#include "bwrap/mask_mounts.h"
#include "bwrap/path_resolution.h"

namespace agentctl::bwrap {
namespace {

std::string_view expected_type(OperationKind kind) {
  switch (kind) {
    case OperationKind::tmpfs:
    case OperationKind::mask:
    case OperationKind::dev:
      return "tmpfs";
    case OperationKind::proc:
      return "proc";
    case OperationKind::bind:
    case OperationKind::bind_device:
    case OperationKind::bind_project:
    case OperationKind::pin:
    case OperationKind::bind_stage:
    case OperationKind::directory:
    case OperationKind::symlink:
    case OperationKind::copy:
    case OperationKind::data:
    case OperationKind::remount_read_only:
      return {};
  }
  return {};
}

bool makes_a_mount(OperationKind kind) {
  return kind == OperationKind::bind || kind == OperationKind::bind_project || kind == OperationKind::bind_stage ||
         kind == OperationKind::bind_device || kind == OperationKind::pin || kind == OperationKind::tmpfs ||
         kind == OperationKind::proc || kind == OperationKind::dev;
}

bool is_explained(std::string_view mount_point,
                  const std::unordered_map<std::string_view, ExpectedMounts::Expected>& expected) {
  if (expected.contains(mount_point)) return true;
  for (std::string_view at = mount_point; at != "/";) {
    at = parent_of(at);
    const auto above = expected.find(at);
    if (above != expected.end() && above->second.recursive) return true;
  }
  return false;
}

}  // namespace

ExpectedMounts::ExpectedMounts(const Plan& plan) {
  expected_["/"] = {"tmpfs", false, false};
  for (const Operation& operation : plan.operations) {
    const std::string& at = operation.destination.str();
    if (operation.kind == OperationKind::mask) {
      expected_[at] = {"tmpfs", true, false, operation.directory ? kMaskDirectory : kMaskFile};
      expected_[kMaskSource] = {"tmpfs", true, false, "/"};
    } else if (makes_a_mount(operation.kind)) {
      const bool is_bind = expected_type(operation.kind).empty();
      expected_[at] = {expected_type(operation.kind), is_bind && operation.access == Access::read_only,
                       is_bind || operation.kind == OperationKind::dev || operation.kind == OperationKind::proc};
    } else if (operation.kind == OperationKind::remount_read_only) {
      expected_[at].read_only = true;
    }
  }
}

std::vector<std::string> ExpectedMounts::compare(const std::vector<MountEntry>& mounts) const {
  std::unordered_map<std::string_view, const MountEntry*> topmost;
  std::vector<std::string> differences;
  for (const MountEntry& mount : mounts) {
    topmost[mount.mount_point] = &mount;  // the table lists mounts in the order made: the last one covers the others
    if (!is_explained(mount.mount_point, expected_)) {
      differences.push_back(cat("an unplanned mount at '", printable(mount.mount_point), "'"));
    }
  }
  const auto source = topmost.find(kMaskSource);
  std::map<std::string_view, std::string> missed;  // in the order of the paths, for whoever reads it
  for (const auto& [at, wanted] : expected_) {
    const auto found = topmost.find(at);
    if (found == topmost.end()) {
      missed[at] = cat("no mount at '", printable(at), "'");
    } else if (!wanted.type.empty() && found->second->type != wanted.type) {
      missed[at] = cat("'", printable(at), "' is ", printable(found->second->type), ", not ", wanted.type);
    } else if (wanted.read_only && !found->second->read_only) {
      missed[at] = cat("'", printable(at), "' is writable");
    } else if (!wanted.root.empty() && (source == topmost.end() || found->second->root != wanted.root ||
                                        found->second->device != source->second->device)) {
      missed[at] = cat("'", printable(at), "' is not covered by what is empty");
    }
  }
  for (auto& [unused, difference] : missed) differences.push_back(std::move(difference));
  return differences;
}

}  // namespace agentctl::bwrap
