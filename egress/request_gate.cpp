// SPDX-License-Identifier: Apache-2.0
#include "egress/request_gate.h"

#include <utility>

namespace agentctl::egress {
namespace {

constexpr std::size_t kMostEarly = std::size_t{64} * 1024;
constexpr unsigned kSwitchingProtocols = 101;
constexpr unsigned kFirstFinal = 200;

}  // namespace

void RequestGate::pass(std::string_view from_near, std::string& to_far) {
  if (state_ == State::over) {
    to_far += std::exchange(early_, {});
    to_far += from_near;
    return;
  }
  if (state_ == State::refused) return;
  const std::size_t of_body = body_.feed(from_near);
  to_far += from_near.substr(0, of_body);
  if (body_.state() == HttpBody::State::refused) {
    return refuse(refusal(Reason::malformed, "the body of the request is not in chunks as HTTP has them"));
  }
  if (!answer_) return;
  const std::string_view rest = from_near.substr(of_body);
  if (rest.size() > kMostEarly - early_.size()) {
    return refuse(refusal(Reason::too_large, "much is sent before the websocket is opened"));
  }
  early_ += rest;
}

// There may be interim answers first (RFC 9110, 15.2). Any other answer, and what is none, goes to the client as it is,
// which has nothing more to say then.
void RequestGate::look_at_answer(std::string_view from_far) {
  while (looks_at_answer() && !from_far.empty()) {
    from_far.remove_prefix(answer_->feed(from_far));
    if (answer_->state() == HttpStatusReader::State::more) return;
    const unsigned status = answer_->state() == HttpStatusReader::State::done ? answer_->status() : kFirstFinal;
    answer_.reset();
    if (status == kSwitchingProtocols) {
      state_ = State::over;
    } else if (status < kFirstFinal) {
      answer_.emplace();
    } else {
      early_ = {};
    }
  }
}

void RequestGate::refuse(Denial denial) {
  state_ = State::refused;
  denial_ = std::move(denial);
}

}  // namespace agentctl::egress
