// SPDX-License-Identifier: Apache-2.0
#include "egress/namespace_helper.h"

#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <string_view>
#include <utility>

#include "base/parent_death.h"
#include "base/text.h"
#include "egress/descriptor_message.h"

namespace agentctl::egress {
namespace {

constexpr std::string_view kDone = "ok";

// "ok" and the sockets, or the words of an Error.
void send_outcome(int socket, const Result<Sockets>& outcome) {
  if (outcome) {
    (void)send_descriptors(socket, kDone, *outcome);
    return;
  }
  const Error& error = outcome.error();
  (void)send_descriptors(socket, error.hint.empty() ? error.message : cat(error.message, "\n", error.hint), {});
}

[[noreturn]] void run(pid_t parent, int socket, const NetworkNamespace& space,
                      const std::function<Result<Sockets>()>& work) {
  Result<void> entered = space.enter();
  die_with(parent);  // only now: the change of credentials forgets it
  send_outcome(socket, entered ? work() : Result<Sockets>(entered.error()));
  ::_exit(0);
}

}  // namespace

Result<NamespaceHelper> NamespaceHelper::fork(const NetworkNamespace& space,
                                              const std::function<Result<Sockets>()>& work) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    return errno_error("cannot make a socket pair");
  }
  UniqueFd ours(ends[0]);
  const UniqueFd theirs(ends[1]);
  const pid_t parent = ::getpid();
  ChildProcess process = AGENTCTL_TRY(
      ChildProcess::fork([&] { run(parent, theirs.get(), space, work); }, ChildProcess::DiesWithParent::itself));
  return NamespaceHelper(std::move(process), std::move(ours));
}

Result<Sockets> NamespaceHelper::take() {
  auto said = receive_descriptors(socket_.get());
  if (!said) return make_error(ErrorKind::internal, "the helper for the network ended without a word");
  if (said->text == kDone) return std::move(said->descriptors);
  const std::size_t line = said->text.find('\n');
  return make_error(ErrorKind::environment, said->text.substr(0, line),
                    line == std::string::npos ? std::string() : said->text.substr(line + 1));
}

}  // namespace agentctl::egress
