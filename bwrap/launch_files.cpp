// SPDX-License-Identifier: Apache-2.0
#include "bwrap/launch_files.h"

#include <fcntl.h>

#include "base/file.h"
#include "base/text.h"
#include "bwrap/plan_builder.h"
#include "bwrap/safe_path.h"
#include "bwrap/seccomp_filter.h"
#include "bwrap/stage_protocol.h"

namespace agentctl::bwrap {

Result<LaunchFiles> LaunchFiles::open(const Plan& plan, const HostPath& project, const HostPath& stage) {
  LaunchFiles files;
  files.project_ = AGENTCTL_TRY(with_context("cannot hold the project", hold_directory(project)));
  files.stage_ = AGENTCTL_TRY(with_context("cannot use the stage program", hold_own_program(stage)));
  for (const std::string_view filter : {guard_filter(), plan.nested ? nested_deny_filter() : deny_filter()}) {
    files.filters_.push_back(AGENTCTL_TRY(sealed_memory_file("agentctl-filter", filter)));
  }
  for (const Operation& operation : plan.operations) {
    if (operation.kind == OperationKind::data) {
      files.copies_.push_back(AGENTCTL_TRY(sealed_memory_file("agentctl-data", operation.text)));
    } else if (operation.kind == OperationKind::copy) {
      files.copies_.push_back(AGENTCTL_TRY(open_for_copy(operation.source)));
    }
  }
  Pipe block = AGENTCTL_TRY(make_pipe());
  files.block_read_ = std::move(block.read_end);
  files.block_write_ = std::move(block.write_end);

  // The numbers that bwrap will know them by, in the order in which kept_fds() hands them over.
  BwrapFds fds;
  int number = kFirstKeptFd + 2;  // after the stage's channel and the option list
  fds.project = number++;
  fds.stage = number++;
  fds.block = number++;
  for (std::size_t at = 0; at < files.filters_.size(); ++at) fds.seccomp.push_back(number++);
  for (std::size_t at = 0; at < files.copies_.size(); ++at) fds.copies.push_back(number++);
  const std::vector<std::string> options = AGENTCTL_TRY(render_options(plan, fds, LateMounts(plan)));
  files.options_ = AGENTCTL_TRY(sealed_memory_file("agentctl-options", join_nul(options)));
  return files;
}

std::vector<int> LaunchFiles::kept_fds(int stage_channel) const {
  std::vector<int> kept = {stage_channel, options_.get(), project_.get(), stage_.get(), block_read_.get()};
  for (const UniqueFd& filter : filters_) kept.push_back(filter.get());
  for (const UniqueFd& copy : copies_) kept.push_back(copy.get());
  return kept;
}

ExecRequest LaunchFiles::make_request(const Plan& plan, int stage_channel) const {
  ExecRequest request;
  request.program = plan.bwrap;
  request.arguments = {
      "bwrap",           "--args", std::to_string(kFirstKeptFd + 1), "--", kStagePath, std::to_string(kFirstKeptFd),
      plan.program.str()};
  request.arguments.insert(request.arguments.end() - 1, plan.closes_scopes ? kCloseScopes : kLeaveScopes);
  request.arguments.insert(request.arguments.end(), plan.command.begin(), plan.command.end());
  request.environment = plan.environment;
  request.kept_fds = kept_fds(stage_channel);
  return request;
}

void LaunchFiles::close_child_ends() {
  for (UniqueFd* fd : {&project_, &stage_, &options_, &block_read_}) fd->reset();
  for (UniqueFd& filter : filters_) filter.reset();
  copies_.clear();
}

Result<void> LaunchFiles::unblock() {
  if (::write(block_write_.get(), "b", 1) != 1) return errno_error("cannot unblock the sandbox");
  block_write_.reset();
  return {};
}

}  // namespace agentctl::bwrap
