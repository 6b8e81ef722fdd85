// SPDX-License-Identifier: Apache-2.0
// One function a command. Each gives the exit status, or the Error that main prints.
#pragma once

#include "base/result.h"
#include "manager/cli.h"

namespace agentctl::manager {

class WaitingCaller;

// `caller`: of a detached session, in the service that supervises it; none: this process is the supervisor and its
// parent's child, or asks for that service.
[[nodiscard]] Result<int> run_start(const StartOptions& options, WaitingCaller* caller = nullptr);
[[nodiscard]] Result<int> run_supervise();
[[nodiscard]] Result<int> run_stop(const StopOptions& options);
[[nodiscard]] Result<int> run_pause(const PauseOptions& options);
[[nodiscard]] Result<int> run_resume(const ResumeOptions& options);
[[nodiscard]] Result<int> run_publish(const PublishOptions& options);
[[nodiscard]] Result<int> run_unpublish(const UnpublishOptions& options);
[[nodiscard]] Result<int> run_allow(const AllowOptions& options);
[[nodiscard]] Result<int> run_deny(const DenyOptions& options);
[[nodiscard]] Result<int> run_exec(const ExecOptions& options);
[[nodiscard]] Result<int> run_set(const SetOptions& options);
[[nodiscard]] Result<int> run_attach(const AttachOptions& options);
[[nodiscard]] Result<int> run_logs(const LogsOptions& options);
[[nodiscard]] Result<int> run_net_logs(const LogsOptions& options);  // with --net
[[nodiscard]] Result<int> run_status(const StatusOptions& options);
[[nodiscard]] Result<int> run_cgroup(const CgroupOptions& options);
[[nodiscard]] Result<int> run_receipt(const ReceiptOptions& options);
[[nodiscard]] Result<int> run_explain(const ExplainOptions& options);
[[nodiscard]] Result<int> run_trust(const TrustOptions& options);
[[nodiscard]] Result<int> run_profile(const ProfileOptions& options);
[[nodiscard]] Result<int> run_complete(const CompleteOptions& options);
[[nodiscard]] Result<int> run_completion(const CompletionOptions& options);
[[nodiscard]] Result<int> run_remote(const RemoteOptions& options);

}  // namespace agentctl::manager
