// SPDX-License-Identifier: Apache-2.0
#include "egress/door.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>
#include <vector>

#include "base/child_process.h"
#include "base/text.h"
#include "egress/descriptor_message.h"
#include "egress/door_namespace.h"
#include "egress/door_process.h"
#include "egress/namespace_helper.h"
#include "egress/network_namespace.h"

namespace agentctl::egress {
namespace {

constexpr int kReadyMsec = 8000, kObeyMsec = 2000, kEndMsec = 500;
constexpr std::size_t kMostPorts = 48;
constexpr std::uint16_t kNamePort = 53;

void add_port(std::vector<std::uint16_t>& ports, std::uint16_t port) {
  const bool is_taken = port == kNamePort || port == kDoorPort;
  if (!is_taken && std::find(ports.begin(), ports.end(), port) == ports.end()) ports.push_back(port);
}

// At which programs that know no proxies are waited for.
std::vector<std::uint16_t> ports_of(const AccessList& rules) {
  std::vector<std::uint16_t> ports = {80, 443};
  for (const AccessRule& allowed : rules.allowed()) {
    if (allowed.rule.port) add_port(ports, *allowed.rule.port);
  }
  return ports;
}

bool wait_for(int fd, int msec) {
  pollfd end{fd, POLLIN, 0};
  int count = 0;
  do {
    count = ::poll(&end, 1, msec);
  } while (count < 0 && errno == EINTR);
  return count > 0;
}

Result<std::array<UniqueFd, 2>> make_socket_pair() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    return errno_error("cannot make a socket pair");
  }
  return std::array<UniqueFd, 2>{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

}  // namespace

struct Door::State {
  DoorRequest request;
  std::vector<std::uint16_t> ports;
  std::optional<NetworkNamespace> space;
  std::optional<NamespaceHelper> helper;
  UniqueFd control, told;
  std::optional<ChildProcess> process;

  [[nodiscard]] Result<void> hear_ready(int msec) const;
  [[nodiscard]] Result<void> tell(std::string_view text, const Sockets& sockets) const;
  void end();
};

Door::Door(DoorRequest request) : state_(std::make_unique<State>()) { state_->request = std::move(request); }
Door::Door(Door&&) noexcept = default;
Door::~Door() {
  if (state_) state_->end();
}

Result<void> Door::begin(pid_t inside) {
  state_->ports = ports_of(state_->request.rules);
  if (state_->ports.size() + state_->request.host_ports.size() > kMostPorts) {
    return make_error(ErrorKind::policy, cat("[network] names more than ", kMostPorts, " ports"),
                      "rules without a port mean 80 and 443");
  }
  for (const std::uint16_t port : state_->request.host_ports) {
    std::vector<std::uint16_t> others = state_->ports;
    add_port(others, port);
    if (others.size() > state_->ports.size()) continue;
    return make_error(ErrorKind::policy, cat("'host-ports' must not name ", port, ", where the door itself listens"));
  }
  state_->space.emplace(AGENTCTL_TRY(NetworkNamespace::of(inside)));
  state_->helper.emplace(AGENTCTL_TRY(NamespaceHelper::fork(
      *state_->space, [this] { return prepare_door_namespace(state_->ports, state_->request.host_ports); })));
  return {};
}

Result<void> Door::finish() {
  if (!wait_for(state_->helper->fd(), kReadyMsec)) {
    return errno_error(ETIMEDOUT, "cannot set up the network of the session");
  }
  Sockets sockets = AGENTCTL_TRY(state_->helper->take());
  state_->helper.reset();
  if (sockets.size() != state_->ports.size() + state_->request.host_ports.size() + 3) {
    return make_error(ErrorKind::internal, "the helper for the network gave no sockets");
  }
  auto control = AGENTCTL_TRY(make_socket_pair());
  auto told = AGENTCTL_TRY(make_socket_pair());
  state_->control = std::move(control[0]);
  state_->told = std::move(told[0]);
  state_->process.emplace(AGENTCTL_TRY(ChildProcess::fork([&] {
    run_door(
        {std::move(state_->request), std::move(sockets), state_->ports, std::move(control[1]), std::move(told[1])});
  })));
  control[1].reset();
  told[1].reset();
  state_->request.log.reset();
  return with_context("the door does not open", state_->hear_ready(kReadyMsec));
}

Result<void> Door::State::hear_ready(int msec) const {
  if (!wait_for(control.get(), msec)) return errno_error(ETIMEDOUT, "it does not answer");
  const auto said = receive_descriptors(control.get());
  if (!said) return make_error(ErrorKind::environment, "its process has ended");
  if (said->text != kDoorReady) return make_error(ErrorKind::policy, said->text);
  return {};
}

Result<void> Door::State::tell(std::string_view text, const Sockets& sockets) const {
  AGENTCTL_TRY_VOID(with_context("cannot reach the door", send_descriptors(control.get(), text, sockets)));
  auto heard = hear_ready(kObeyMsec);
  if (heard || heard.error().sys_errno != ETIMEDOUT) return with_context("the door refuses", std::move(heard));
  process->kill();  // which rules it goes by nobody knows
  return make_error(ErrorKind::environment,
                    "the door does not answer, and was ended: the session has no network any more");
}

Result<void> Door::allow(const policy::HostRule& rule) {
  std::vector<std::uint16_t> ports = state_->ports;
  if (rule.port) add_port(ports, *rule.port);
  if (ports.size() == state_->ports.size()) return state_->tell(cat("allow\n", to_string(rule)), {});
  // Where something inside listens already, programs that know of proxies get there all the same.
  auto helper = AGENTCTL_TRY(NamespaceHelper::fork(*state_->space, [&] { return listen_for_door(*rule.port); }));
  const auto listener = wait_for(helper.fd(), kObeyMsec) ? helper.take() : Result<Sockets>(Sockets{});
  if (!listener || listener->empty()) return state_->tell(cat("allow\n", to_string(rule)), {});
  AGENTCTL_TRY_VOID(state_->tell(cat("allow\n", to_string(rule), "\n", *rule.port), *listener));
  state_->ports = std::move(ports);
  return {};
}

Result<void> Door::deny(const policy::HostRule& rule) { return state_->tell(cat("deny\n", to_string(rule)), {}); }

int Door::lost_fd() const { return state_->process ? state_->process->pidfd() : -1; }
int Door::told_fd() const { return state_->told.get(); }

Result<DoorTold> Door::hear() {
  const DescriptorMessage told = AGENTCTL_TRY(receive_descriptors(state_->told.get()));
  return parse_told(told.text);
}

std::optional<DoorTold> Door::end() {
  state_->end();
  std::optional<DoorTold> last;
  while (state_->told.valid() && wait_for(state_->told.get(), 0)) {
    const auto told = hear();
    if (!told) break;
    last = *told;
  }
  return last;
}

// What it has still to write is written first.
void Door::State::end() {
  control.reset();
  if (process) (void)wait_for(process->pidfd(), kEndMsec);
}

}  // namespace agentctl::egress
