// SPDX-License-Identifier: Apache-2.0
// MountHelper: a process of ours that mounts in a sandbox from outside, while its stage waits: it enters the mount
// namespace of the stage and the user namespace that owns it, where it has every capability, and nothing else of the
// sandbox: neither its pid namespace nor its scope, so that nothing inside can reach it. It ends when it is done, and
// dies with its parent. No agent may run in the sandbox yet: paths inside are taken as they stand.
// Sources: setns(2), ioctl_ns(2) (NS_GET_USERNS), mount_namespaces(7), mount(2), mount_setattr(2).
#pragma once

#include <utility>

#include "base/child_process.h"
#include "base/result.h"
#include "base/unique_fd.h"
#include "bwrap/late_mounts.h"

namespace agentctl::bwrap {

class MountHelper {
 public:
  // Forked early, while there is something else to wait for. Keeps no descriptor of ours but its own.
  [[nodiscard]] static Result<MountHelper> fork(const LateMounts& mounts);

  // Goes to work in the sandbox of process `inside`. Call once; there is time for something else then.
  [[nodiscard]] Result<void> begin(pid_t inside);

  // Every late mount stands when this returns, kLateSource is gone, and no later mount of the host arrives; an Error of
  // kind environment says which could not be made. Waits two seconds at most.
  [[nodiscard]] Result<void> finish();

  MountHelper(const MountHelper&) = delete;
  MountHelper& operator=(const MountHelper&) = delete;
  MountHelper(MountHelper&& other) noexcept = default;
  MountHelper& operator=(MountHelper&&) = delete;
  ~MountHelper();  // waits for its end

 private:
  MountHelper(ChildProcess process, UniqueFd socket) : process_(std::move(process)), socket_(std::move(socket)) {}

  ChildProcess process_;
  UniqueFd socket_;
};

}  // namespace agentctl::bwrap
