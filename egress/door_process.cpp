// SPDX-License-Identifier: Apache-2.0
#include "egress/door_process.h"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <list>
#include <optional>
#include <utility>

#include "base/event_loop.h"
#include "base/text.h"
#include "egress/close_descriptors.h"
#include "egress/confinement.h"
#include "egress/descriptor_message.h"
#include "egress/door_listeners.h"
#include "egress/door_namespace.h"
#include "egress/name_stub.h"
#include "egress/published_port.h"

namespace agentctl::egress {
namespace {

constexpr std::size_t kResolvers = 4;
constexpr std::size_t kMostNames = 8192;
constexpr rlim_t kMostDescriptorsOpen = 16384;  // two for each connection, and pipes
constexpr std::size_t kFirstPort = 3;           // of the sockets
constexpr std::uint64_t kBetweenTellingUsec = 1'000'000;

Result<std::vector<ResolverProcess>> start_resolvers() {
  std::vector<ResolverProcess> resolvers;
  for (std::size_t count = 0; count < kResolvers; ++count) resolvers.push_back(AGENTCTL_TRY(start_resolver()));
  return resolvers;
}

bool keep_only(const DoorWork& work, const std::vector<ResolverProcess>& resolvers) {
  std::vector<int> kept = {work.control.get(), work.told.get()};
  if (work.request.log.valid()) kept.push_back(work.request.log.get());
  for (const UniqueFd& socket : work.sockets) kept.push_back(socket.get());
  for (const ResolverProcess& resolver : resolvers) {
    kept.push_back(resolver.socket.get());
    kept.push_back(resolver.process.pidfd());
  }
  return close_all_but(std::move(kept));
}

// "allow\nRULE", "deny\nRULE", "allow\nRULE\nPORT" with a listener. The answer: kDoorReady, or what is wrong.
std::string obey(DescriptorMessage told, AccessList& rules, DoorListeners& listeners) {
  const std::vector<std::string> words = split(told.text, '\n');
  const bool is_allow = words.front() == "allow";
  auto rule = words.size() < 2 ? Result<policy::HostRule>(make_error(ErrorKind::internal, "no rule"))
              : is_allow       ? policy::parse_allow_rule(words[1])
                               : policy::parse_deny_rule(words[1]);
  if (!rule) return rule.error().message;
  if (is_allow) {
    rules.allow(std::move(*rule));
  } else {
    rules.deny(std::move(*rule));
  }
  const auto port = words.size() > 2 ? policy::parse_port(words[2]) : Result<std::uint16_t>(Error{});
  if (port && !told.descriptors.empty()) listeners.add(std::move(told.descriptors.front()), *port);
  return std::string(kDoorReady);
}

Result<UniqueFd> make_host_socket(int family) {
  UniqueFd made(::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!made.valid()) return errno_error("cannot make a socket");
  return made;
}

bool say(int socket, std::string_view text) {
  return ::send(socket, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT) >= 0;
}

// At most once a second, and the last word is always said.
class Teller {
 public:
  Teller(EventLoop& loop, int socket, const std::string& session) : loop_(loop), socket_(socket), session_(session) {}

  void note(const DoorTally& tally) {
    if (timer_ != 0) return;
    const std::uint64_t wait = has_told_ ? kBetweenTellingUsec : 0;
    timer_ = loop_.after(wait, [this, &tally] { tell(tally); });
  }
  void tell_last(const DoorTally& tally) {
    if (timer_ == 0) return;
    loop_.cancel(timer_);
    tell(tally);
  }

 private:
  void tell(const DoorTally& tally) {
    timer_ = 0;
    has_told_ = true;
    DoorTold told{tally.allowed(), tally.denied(), {}, {}};
    if (tally.denied() > 0) {
      told.denial = explain(tally.last());
      told.remedy = remedy(tally.last(), session_);
    }
    (void)say(socket_, to_text(told));
  }

  EventLoop& loop_;
  int socket_;
  const std::string& session_;
  EventLoop::TimerId timer_ = 0;
  bool has_told_ = false;
};

}  // namespace

void run_door(DoorWork work) {
  ::prctl(PR_SET_NAME, "agentctl-door");
  auto resolvers = start_resolvers();
  if (!resolvers || !keep_only(work, *resolvers)) return;
  EventLoop loop;
  if (::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0 || !confine_to_sockets(kMostDescriptorsOpen)) return;
  Resolver resolver(loop, std::move(*resolvers));
  NetLog log(loop, std::move(work.request.log));
  Teller teller(loop, work.told.get(), work.request.session);
  std::optional<DoorTally> tally;
  tally.emplace([&] { teller.note(*tally); });
  FakeAddresses fakes(door_pool(), kMostNames);
  NearNetworks networks;
  SplicePipes pipes;
  const DirectHosts direct(work.request.direct_hosts);
  AccessList& rules = work.request.rules;
  const DoorParts parts{{loop, resolver, rules, networks, work.request.upstream, direct},
                        fakes,
                        log,
                        *tally,
                        pipes,
                        work.request.session};
  DoorListeners listeners(parts);
  const NameStub names(loop, work.sockets[0], work.sockets[1], rules, fakes, log, *tally);
  listeners.add(std::move(work.sockets[2]), std::nullopt);
  for (std::size_t at = 0; at < work.ports.size(); ++at) {
    listeners.add(std::move(work.sockets[kFirstPort + at]), work.ports[at]);
  }
  std::list<PublishedPort> host_ports;
  for (std::size_t at = 0; at < work.request.host_ports.size(); ++at) {
    Sockets listener;
    listener.push_back(std::move(work.sockets[kFirstPort + work.ports.size() + at]));
    host_ports.emplace_back(loop, std::move(listener), work.request.host_ports[at], make_host_socket);
  }
  bool is_over = !say(work.control.get(), kDoorReady);
  loop.watch(work.control.get(), POLLIN, [&](short) {
    auto told = receive_descriptors(work.control.get());
    is_over = !told || !say(work.control.get(), obey(std::move(*told), rules, listeners));
  });
  (void)loop.run_until([&] { return is_over; });
  teller.tell_last(*tally);
}

std::string to_text(const DoorTold& told) {
  constexpr std::size_t kMostOfEach = 900;  // both fit a message; they hold paths of policies
  const auto cut = [](const std::string& line) {
    return line.size() <= kMostOfEach ? line : printable(std::string_view(line).substr(0, kMostOfEach)) + "…";
  };
  return cat(told.allowed, "\n", told.denied, "\n", cut(told.denial), "\n",
             told.remedy.size() <= kMostOfEach ? told.remedy : "");
}

DoorTold parse_told(std::string_view text) {
  const std::vector<std::string> lines = split(text, '\n');
  if (lines.size() != 4) return {};
  return {std::strtoull(lines[0].c_str(), nullptr, 10), std::strtoull(lines[1].c_str(), nullptr, 10), lines[2],
          lines[3]};
}

}  // namespace agentctl::egress
