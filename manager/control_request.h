// SPDX-License-Identifier: Apache-2.0
// ControlRequest: what a session's control socket hears: one short text, a verb and its words with a single space
// between them ("stop 10000000"). Pure. It comes from this user or root only (control_socket.h), but is read strictly.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "base/result.h"
#include "manager/limit_change.h"
#include "policy/host_rule.h"
#include "policy/publication.h"

namespace agentctl::manager {

struct StopRequest {  // "stop GRACE": answered when everything is proven gone
  std::uint64_t grace_usec = 0;
  friend bool operator==(const StopRequest&, const StopRequest&) = default;
};
struct PauseRequest {  // "pause": answered when the kernel says that all processes stand still
  friend bool operator==(const PauseRequest&, const PauseRequest&) = default;
};
struct ResumeRequest {  // "resume"
  friend bool operator==(const ResumeRequest&, const ResumeRequest&) = default;
};
// "limits memory-max=8589934592 …": those of the scope are set already and are held against the kernel's files; the
// record and the time limit are the supervisor's to change.
struct LimitsRequest {
  LimitChange change;
  friend bool operator==(const LimitsRequest&, const LimitsRequest&) = default;
};
struct PublishRequest {  // "publish 8080:3000": a port of the session's on this machine's loopback
  policy::Publication publication;
  friend bool operator==(const PublishRequest&, const PublishRequest&) = default;
};
struct UnpublishRequest {  // "unpublish 8080"; 0: "unpublish auto"
  std::uint16_t host_port = 0;
  friend bool operator==(const UnpublishRequest&, const UnpublishRequest&) = default;
};
struct AllowRequest {  // "allow *.example.com:443": in force when it is answered
  policy::HostRule rule;
  friend bool operator==(const AllowRequest&, const AllowRequest&) = default;
};
struct DenyRequest {  // "deny example.com"
  policy::HostRule rule;
  friend bool operator==(const DenyRequest&, const DenyRequest&) = default;
};
using ControlRequest = std::variant<StopRequest, PauseRequest, ResumeRequest, LimitsRequest, PublishRequest,
                                    UnpublishRequest, AllowRequest, DenyRequest>;

[[nodiscard]] Result<ControlRequest> parse_request(std::string_view text);
[[nodiscard]] std::string to_text(const ControlRequest& request);

}  // namespace agentctl::manager
