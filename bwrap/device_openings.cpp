// SPDX-License-Identifier: Apache-2.0
// Devices: their nodes, one by one, and for graphics cards the part of /sys that describes the card itself, read-only.
// Whether the user may open a node stays the host's to say (groups video, render, kvm).
#include "base/text.h"
#include "bwrap/opening.h"
#include "bwrap/system_layout.h"

namespace agentctl::bwrap {
namespace {

constexpr int kMostCards = 16;
constexpr int kFirstRenderNode = 128;
constexpr int kDrmMajor = 226;  // Documentation/admin-guide/devices.txt

std::vector<std::string> gpu_nodes() {
  std::vector<std::string> nodes = {"/dev/kfd",
                                    "/dev/dxg",
                                    "/dev/nvidiactl",
                                    "/dev/nvidia-modeset",
                                    "/dev/nvidia-uvm",
                                    "/dev/nvidia-uvm-tools",
                                    "/dev/nvidia-caps/nvidia-cap1",
                                    "/dev/nvidia-caps/nvidia-cap2"};
  for (int card = 0; card < kMostCards; ++card) {
    nodes.push_back(cat("/dev/nvidia", card));
    nodes.push_back(cat("/dev/dri/card", card));
    nodes.push_back(cat("/dev/dri/renderD", kFirstRenderNode + card));
  }
  return nodes;
}

// libdrm finds a card by the number of its node; ROCm by its topology.
std::vector<std::string> gpu_descriptions() {
  std::vector<std::string> all = {"/sys/class/kfd/kfd"};
  for (int card = 0; card < kMostCards; ++card) {
    all.push_back(cat("/sys/dev/char/", kDrmMajor, ":", card, "/device"));
    all.push_back(cat("/sys/dev/char/", kDrmMajor, ":", kFirstRenderNode + card, "/device"));
  }
  return all;
}

// Those that the host has, in their places; empty: none.
Result<std::vector<std::string>> bind_nodes(const HostFacts& facts, const std::vector<std::string>& nodes,
                                            std::string_view opening, Layout& layout) {
  std::vector<std::string> found;
  for (const std::string& node : nodes) {
    const PathFact& fact = *AGENTCTL_TRY(find_fact(facts, node));
    if (fact.kind != PathKind::other || fact.canonical.str() != node) continue;  // a link could lead to any device
    Want want = bind_want(fact, Access::read_write, Rank::built_in, cat("[allow] ", opening));
    want.operation.kind = OperationKind::bind_device;
    layout.want(std::move(want));
    found.push_back(node);
  }
  return found;
}

std::vector<std::string> gpu_paths(const HostFacts&) {
  std::vector<std::string> all = gpu_nodes();
  for (std::string& description : gpu_descriptions()) all.push_back(std::move(description));
  return all;
}

Result<void> open_gpu(const HostFacts& facts, Layout& layout, Opened& opened) {
  const std::vector<std::string> nodes = AGENTCTL_TRY(bind_nodes(facts, gpu_nodes(), "gpu", layout));
  if (nodes.empty()) {
    opened.warnings.emplace_back(
        "gpu is allowed, but the session has none: no /dev/dri, /dev/nvidia* or /dev/kfd here");
    return {};
  }
  for (const std::string& name : gpu_descriptions()) {
    const PathFact& fact = *AGENTCTL_TRY(find_fact(facts, name));
    if (fact.kind != PathKind::directory || !starts_with_path(fact.canonical.str(), "/sys/devices")) continue;
    layout.want_links(fact, "[allow] gpu");
    layout.want(bind_want(fact, Access::read_only, Rank::built_in, "[allow] gpu"));
  }
  opened.warnings.push_back(cat("gpu is let in (", join(nodes, ", "),
                                "): its driver is within the session's reach, and its memory is not in the limits"));
  return {};
}

std::vector<std::string> kvm_paths(const HostFacts&) { return {"/dev/kvm"}; }

Result<void> open_kvm(const HostFacts& facts, Layout& layout, Opened& opened) {
  const std::vector<std::string> nodes = AGENTCTL_TRY(bind_nodes(facts, kvm_paths(facts), "kvm", layout));
  opened.warnings.emplace_back(
      nodes.empty() ? "kvm is allowed, but the session has none: there is no /dev/kvm here"
                    : "kvm is let in: the session can run virtual machines, and KVM is within its reach");
  return {};
}

}  // namespace

Opening gpu_opening() { return {"gpu", gpu_paths, open_gpu}; }
Opening kvm_opening() { return {"kvm", kvm_paths, open_kvm}; }

}  // namespace agentctl::bwrap
