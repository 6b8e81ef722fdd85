// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/egress/relayed_pair.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <string>

#include <doctest/doctest.h>

namespace agentctl::egress {
namespace {

constexpr std::uint64_t kDeadlineUsec = 60'000'000;
constexpr std::uint64_t kStillUsec = 50'000;

struct Listener {
  UniqueFd socket;
  sockaddr_in address{};
};

Listener listen_on_loopback() {
  Listener made{UniqueFd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0))};
  made.address.sin_family = AF_INET;
  made.address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* const address = reinterpret_cast<sockaddr*>(&made.address);
  socklen_t size = sizeof made.address;
  REQUIRE(::bind(made.socket.get(), address, size) == 0);
  REQUIRE(::listen(made.socket.get(), 8) == 0);
  REQUIRE(::getsockname(made.socket.get(), address, &size) == 0);
  return made;
}

UniqueFd make_tcp_socket() {
  UniqueFd made(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  REQUIRE(made.valid());
  return made;
}

int begin_connect(const UniqueFd& socket, const sockaddr_in& address) {
  return ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
}

std::vector<int> find_pipes() {
  std::vector<int> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code error;
    if (std::filesystem::read_symlink(entry.path(), error).native().starts_with("pipe:")) {
      found.push_back(std::stoi(entry.path().filename()));
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

ConnectedPair connect_tcp() {
  const Listener listener = listen_on_loopback();
  UniqueFd ours = make_tcp_socket();
  REQUIRE((begin_connect(ours, listener.address) == 0 || errno == EINPROGRESS));
  UniqueFd theirs(::accept4(listener.socket.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  REQUIRE(theirs.valid());
  return {std::move(ours), std::move(theirs)};
}

ConnectedPair connect_unix() {
  int ends[2];
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) == 0);
  return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

UniqueFd begin_refused_connect() {
  Listener listener = listen_on_loopback();
  listener.socket.reset();
  UniqueFd ours = make_tcp_socket();
  REQUIRE(begin_connect(ours, listener.address) != 0);
  REQUIRE(errno == EINPROGRESS);
  return ours;
}

RelayedPair::RelayedPair(EventLoop& loop_of_test, Speech near_says, Speech far_says, RelayStart start,
                         Transport transport)
    : loop(loop_of_test) {
  ::signal(SIGPIPE, SIG_IGN);
  ConnectedPair at_near = transport == Transport::tcp ? connect_tcp() : connect_unix();
  ConnectedPair at_far = transport == Transport::tcp ? connect_tcp() : connect_unix();
  near = std::make_unique<Talker>(loop, std::move(at_near.first), near_says, far_says.voice);
  far = std::make_unique<Talker>(loop, std::move(at_far.second), far_says, near_says.voice);
  relay = std::make_unique<StreamRelay>(
      loop, std::move(at_near.second), std::move(at_far.first), [this](RelayEnd how) { end = how; }, std::move(start));
}

void RelayedPair::run_until(const std::function<bool()>& done) {
  bool is_late = false;
  const auto deadline = loop.after(kDeadlineUsec, [&] { is_late = true; });
  REQUIRE(loop.run_until([&] { return is_late || done(); }));
  loop.cancel(deadline);
  REQUIRE_FALSE(is_late);
}

void RelayedPair::run_until_still() {
  const auto passed = [&] { return near->said() + near->heard() + far->said() + far->heard(); };
  std::uint64_t before = 0;
  do {
    before = passed();
    bool is_over = false;
    loop.after(kStillUsec, [&] { is_over = true; });
    run_until([&] { return is_over; });
  } while (passed() != before);
}

NewPipes::NewPipes() : before_(find_pipes()) {}

std::vector<int> NewPipes::list() const {
  std::vector<int> found = find_pipes();
  std::erase_if(found, [this](int fd) { return std::binary_search(before_.begin(), before_.end(), fd); });
  return found;
}

}  // namespace agentctl::egress
