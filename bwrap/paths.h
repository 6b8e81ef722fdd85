// SPDX-License-Identifier: Apache-2.0
// A path on the host and a path inside the sandbox are different things, even when they read the same: mixing them is
// the classic fault of sandbox builders, so each has a type. Both hold absolute, lexically normal paths.
#pragma once

#include <compare>
#include <string>
#include <utility>

namespace agentctl::bwrap {

class HostPath {
 public:
  HostPath() = default;
  explicit HostPath(std::string text) : text_(std::move(text)) {}
  [[nodiscard]] const std::string& str() const { return text_; }
  friend auto operator<=>(const HostPath&, const HostPath&) = default;

 private:
  std::string text_;
};

class SandboxPath {
 public:
  SandboxPath() = default;
  explicit SandboxPath(std::string text) : text_(std::move(text)) {}
  [[nodiscard]] const std::string& str() const { return text_; }
  friend auto operator<=>(const SandboxPath&, const SandboxPath&) = default;

 private:
  std::string text_;
};

}  // namespace agentctl::bwrap
