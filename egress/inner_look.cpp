// SPDX-License-Identifier: Apache-2.0
#include "egress/inner_look.h"

#include "egress/hello_gate.h"
#include "egress/http_answer.h"
#include "egress/request_gate.h"

namespace agentctl::egress {

InnerLook::InnerLook(Carries carries)
    : carries_(carries), state_(carries == Carries::anything ? State::done : State::more) {}

std::size_t InnerLook::feed(std::string_view bytes) {
  if (state_ != State::more) return 0;
  if (carries_ == Carries::tls) {
    const std::size_t taken = hello_.feed(bytes);
    if (hello_.state() == ClientHelloReader::State::done) state_ = State::done;
    if (hello_.state() == ClientHelloReader::State::refused) state_ = State::refused;
    return taken;
  }
  const std::size_t taken = http_.feed(bytes);
  if (http_.state() == HttpHeadReader::State::done) state_ = State::done;
  if (http_.state() == HttpHeadReader::State::refused) state_ = State::refused;
  return taken;
}

const Denial& InnerLook::denial() const { return carries_ == Carries::tls ? hello_.denial() : http_.denial(); }

std::optional<Denial> InnerLook::check(const AccessList& rules, const Permit& permit) const {
  if (carries_ == Carries::http) return check_named_host(rules, permit, *http_.head().endpoint, Reason::host_field);
  if (carries_ == Carries::anything) return std::nullopt;
  const auto& name = hello_.hello().server_name;
  if (!name) return check_unnamed_tls(permit);
  return check_named_host(rules, permit, {policy::Host(*name), permit.endpoint.port}, Reason::server_name);
}

std::unique_ptr<RelayGate> InnerLook::make_gate() const {
  if (carries_ == Carries::tls) return std::make_unique<HelloGate>(hello_.hello().server_name);
  if (carries_ == Carries::http) return std::make_unique<RequestGate>(http_.head());
  return nullptr;
}

std::string InnerLook::rejection(const Denial& denial, std::string_view session) const {
  if (carries_ == Carries::http) return denial_answer(denial, session, http_.head().method == "HEAD");
  const bool speaks_tls = carries_ == Carries::tls && !hello_.bytes().empty() && begins_tls(hello_.bytes().front());
  if (!speaks_tls) return {};
  return std::string(is_failure(denial.reason) ? internal_error_alert() : access_denied_alert());
}

}  // namespace agentctl::egress
