// SPDX-License-Identifier: Apache-2.0
#include "egress/door_connection.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <utility>

#include "base/clock.h"
#include "egress/http_forward.h"
#include "egress/request_gate.h"

namespace agentctl::egress {
namespace {

using policy::Endpoint;

constexpr std::uint64_t kToAskUsec = 60'000'000, kToPartUsec = 2'000'000;

bool must_wait(int error) { return error == EAGAIN || error == EINTR; }

}  // namespace

DoorConnection::DoorConnection(const DoorParts& parts, UniqueFd client, std::optional<Endpoint> going_to,
                               std::function<void()> ended)
    : parts_(parts),
      client_(std::move(client)),
      going_to_(std::move(going_to)),
      ended_(std::move(ended)),
      begun_usec_(monotonic_usec()) {
  const int yes = 1;
  (void)::setsockopt(client_.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  parts_.outside.loop.watch(client_.get(), POLLIN, [this](short revents) { on_ready(revents); });
  wait_to_be_asked();
  if (going_to_) decide_on(*going_to_);
  advance();
}

void DoorConnection::wait_to_be_asked() {
  if (timer_ != 0) return;
  timer_ = parts_.outside.loop.after(kToAskUsec, [this] {
    timer_ = 0;
    const bool is_asking = step_ == Step::front || step_ == Step::inner;
    if (is_asking) deny(refusal(Reason::timed_out, "nothing was asked for in time"));
  });
}

DoorConnection::~DoorConnection() {
  if (timer_ != 0) parts_.outside.loop.cancel(timer_);
  if (client_.valid()) parts_.outside.loop.forget(client_.get());
  if (step_ == Step::relaying) note_end();  // the door itself ends
}

void DoorConnection::on_ready(short revents) {
  if (step_ == Step::parting) return on_parting(revents);
  if (step_ == Step::preparing || step_ == Step::connecting) return end();  // the client is gone
  if (!read_some()) return end();
  advance();
}

bool DoorConnection::read_some() {
  std::array<char, 16384> bytes;  // NOLINT: filled by recv
  const ssize_t size = ::recv(client_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
  if (size > 0) input_.append(bytes.data(), static_cast<std::size_t>(size));
  return size > 0 || (size < 0 && must_wait(errno));
}

void DoorConnection::advance() {
  if (step_ == Step::front) take_front();
  if (step_ == Step::inner) take_inner();
}

void DoorConnection::take_front() {
  std::string answer;
  input_.erase(0, front_.feed(input_, answer));
  if (!answer.empty()) (void)::send(client_.get(), answer.data(), answer.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  if (front_.state() == ProxyFront::State::refused) return deny(front_.denial());
  if (front_.state() == ProxyFront::State::asked) decide_on(front_.endpoint());
}

void DoorConnection::decide_on(const Endpoint& asked) {
  auto verdict = decide(parts_.outside.rules, parts_.fakes, asked);
  if (auto* permit = std::get_if<Permit>(&verdict)) permit_ = std::move(*permit);
  if (auto* denial = std::get_if<Denial>(&verdict)) denial_ = std::move(*denial);
  if (going_to_) {  // what it says is read first, also to be told in its own language that it is denied
    inner_.emplace(permit_ ? permit_->carries : carried_on(asked.port));
    step_ = Step::inner;
    return;
  }
  if (denial_) return deny(*denial_);
  if (!front_.wants_tunnel()) {
    if (const auto denial = check_plain_http(*permit_)) return deny(*denial);
  }
  prepare();
}

void DoorConnection::take_inner() {
  input_.erase(0, inner_->feed(input_));
  if (inner_->state() == InnerLook::State::more) return;
  if (denial_) return deny(*denial_);
  if (inner_->state() == InnerLook::State::refused) return deny(inner_->denial());
  if (const auto denial = inner_->check(parts_.outside.rules, *permit_)) return deny(*denial);
  if (is_prepared_) return connect();
  prepare();
}

void DoorConnection::prepare() {
  step_ = Step::preparing;
  parts_.outside.loop.set_events(client_.get(), 0);
  outbound_.emplace(parts_.outside, *permit_);
  outbound_->prepare([this](const std::optional<Denial>& denial) { on_prepared(denial); });
}

void DoorConnection::on_prepared(const std::optional<Denial>& denial) {
  if (denial) return deny(*denial);
  is_prepared_ = true;
  // Where the host may be the first to speak, and where nothing is looked at, the tunnel is there once the host is.
  if (!is_tunnel() || permit_->carries == Carries::anything) return connect();
  const std::string acceptance = front_.acceptance();
  (void)::send(client_.get(), acceptance.data(), acceptance.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  is_accepted_ = true;
  wait_to_be_asked();
  inner_.emplace(permit_->carries);
  step_ = Step::inner;
  parts_.outside.loop.set_events(client_.get(), POLLIN);
  take_inner();
}

const HttpHead* DoorConnection::request() const {
  if (inner_) return inner_->head();
  return going_to_ || front_.wants_tunnel() ? nullptr : &front_.head();
}

// By the rules of this moment: the first time may be long ago.
bool DoorConnection::is_permitted_still() {
  auto verdict = decide(parts_.outside.rules, parts_.fakes, permit_->endpoint);
  if (const auto* denial = std::get_if<Denial>(&verdict)) {
    deny(*denial);
    return false;
  }
  return true;
}

void DoorConnection::connect() {
  if (!is_permitted_still()) return;
  step_ = Step::connecting;
  parts_.outside.loop.set_events(client_.get(), 0);
  const bool needs_tunnel = request() == nullptr || request()->wants_websocket;
  outbound_->connect(needs_tunnel, [this](std::variant<Outbound::Connected, Denial> outcome) {
    if (const auto* denial = std::get_if<Denial>(&outcome)) return deny(*denial);
    on_connected(std::move(std::get<Outbound::Connected>(outcome)));
  });
}

std::string DoorConnection::first_words() const {
  if (const HttpHead* head = request()) {
    const Upstream* upstream = outbound_->upstream();
    return upstream != nullptr && !head->wants_websocket ? proxied_head(*head, upstream->login) : origin_head(*head);
  }
  return inner_ ? inner_->hello_bytes() : std::string();
}

void DoorConnection::on_connected(Outbound::Connected connected) {
  if (!is_permitted_still()) return;
  parts_.tally.count_allowed();
  if (timer_ != 0) parts_.outside.loop.cancel(std::exchange(timer_, 0));
  parts_.outside.loop.forget(client_.get());
  RelayStart start;
  start.pipes = &parts_.pipes;
  start.to_far = first_words();
  if (is_tunnel() && !is_accepted_) start.to_near = front_.acceptance();
  start.to_near += connected.arrived;
  start.gate = make_gate();
  if (start.gate) {
    start.gate->pass(input_, start.to_far);
  } else {
    start.to_far += input_;
  }
  std::string().swap(input_);
  step_ = Step::relaying;
  relay_.emplace(
      parts_.outside.loop, std::move(client_), std::move(connected.socket), [this](RelayEnd how) { on_relay_end(how); },
      std::move(start));
}

std::unique_ptr<RelayGate> DoorConnection::make_gate() const {
  if (inner_) return inner_->make_gate();
  return request() != nullptr ? std::make_unique<RequestGate>(*request()) : nullptr;
}

void DoorConnection::on_relay_end(RelayEnd how) {
  if (how == RelayEnd::refused) {
    denial_ = relay_->denial();
    denial_->asked = policy::to_string(permit_->endpoint);
  }
  note_end();
  // Between two bytes of an answer there is nothing that a client would understand.
  const bool is_between = relay_->owes_near() || (request() != nullptr && relay_->bytes_in() > 0);
  if (how != RelayEnd::refused || is_between) return end();
  client_ = relay_->take_near();
  parts_.outside.loop.watch(client_.get(), 0, [this](short revents) { on_ready(revents); });
  part_with(rejection());
}

std::string DoorConnection::rejection() const {
  return inner_ ? inner_->rejection(*denial_, parts_.session) : front_.rejection(*denial_, parts_.session);
}

void DoorConnection::deny(const Denial& denial) {
  denial_ = denial;
  note_end();
  part_with(rejection());
}

// The client hears all of it: closed at once, with something of its own unread, the kernel would throw it away.
void DoorConnection::part_with(std::string words) {
  step_ = Step::parting;
  output_ = std::move(words);
  if (timer_ != 0) parts_.outside.loop.cancel(timer_);
  timer_ = parts_.outside.loop.after(kToPartUsec, [this] {
    timer_ = 0;
    end();
  });
  parts_.outside.loop.set_events(client_.get(), POLLIN | POLLOUT);
}

void DoorConnection::on_parting(short revents) {
  if ((revents & POLLOUT) != 0) {
    const ssize_t size = ::send(client_.get(), output_.data(), output_.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (size < 0 && !must_wait(errno)) return end();
    if (size > 0) output_.erase(0, static_cast<std::size_t>(size));
    if (output_.empty()) {
      ::shutdown(client_.get(), SHUT_WR);
      parts_.outside.loop.set_events(client_.get(), POLLIN);
    }
  }
  input_.clear();
  if ((revents & (POLLIN | POLLHUP | POLLERR)) != 0 && !read_some()) end();
}

void DoorConnection::note_end() {
  NetEvent event;
  event.time_usec = realtime_usec();
  event.protocol = going_to_ ? Protocol::transparent : front_.protocol();
  event.denial = denial_;
  if (permit_) {
    event.host = policy::to_string(permit_->endpoint.host);
    event.port = permit_->endpoint.port;
    event.rule = to_string(permit_->rule);
  } else if (denial_ && !denial_->asked.empty()) {
    const auto asked = policy::parse_host_and_port(denial_->asked);
    if (asked) event.host = policy::to_string(asked->host);
    if (asked) event.port = asked->port;
    event.rule = denial_->rule;
  }
  if (outbound_) event.address = outbound_->address();
  if (relay_) event.bytes_up = relay_->bytes_out();
  if (relay_) event.bytes_down = relay_->bytes_in();
  event.duration_usec = monotonic_usec() - begun_usec_;
  if (denial_ && !is_failure(denial_->reason)) parts_.tally.count_denied(*denial_);
  parts_.log.add(std::move(event));
}

// By the loop, since this may have been called from within.
void DoorConnection::end() {
  if (client_.valid()) parts_.outside.loop.forget(client_.get());
  client_.reset();
  step_ = Step::parting;
  if (timer_ != 0) parts_.outside.loop.cancel(timer_);
  timer_ = parts_.outside.loop.after(0, [this] {
    timer_ = 0;
    std::exchange(ended_, nullptr)();
  });
}

}  // namespace agentctl::egress
