// SPDX-License-Identifier: Apache-2.0
// What a `start --detach` and the supervisor that it asked for say to each other, over a SOCK_SEQPACKET pair of which
// the service manager gives one end to the supervisor as its standard input. First the handover: one message with three
// descriptors, so that neither a command line nor a property of the service holds what may be secret. The supervisor
// writes its notices and errors to the starter's own standard error; its answer says how it went. To `running` the
// starter says that it has heard; a starter that goes away before has nobody to tell, and the session ends.
#pragma once

#include <string>

#include "base/result.h"
#include "base/unique_fd.h"
#include "manager/detached_request.h"

namespace agentctl::manager {

struct Handover {
  DetachedRequest request;
  UniqueFd directory;  // the starter's current one; O_PATH
  UniqueFd standard_error;
};

struct DetachedAnswer {
  enum class Kind { running, ended } kind = Kind::ended;
  std::string name, id;  // of the session that is running
  int status = 0;        // of one that did not come so far: what `start` exits with
};

struct SocketPair {
  UniqueFd ours;
  UniqueFd theirs;
};
[[nodiscard]] Result<SocketPair> make_detached_channel();

[[nodiscard]] Result<void> send_handover(int socket, const DetachedRequest& request, int directory, int standard_error);
// Never waits. A usage Error where `socket` is no end of such a pair with a handover of this user's in it.
[[nodiscard]] Result<Handover> receive_handover(int socket);

// ECONNRESET, EPIPE: the starter has gone.
[[nodiscard]] Result<void> send_answer(int socket, const DetachedAnswer& answer);
// Of a socket that can be read. ECONNRESET: the supervisor has gone without an answer.
[[nodiscard]] Result<DetachedAnswer> receive_answer(int socket);

[[nodiscard]] Result<void> send_heard(int socket);
// Of a socket that can be read: false when the starter has gone.
[[nodiscard]] bool receive_heard(int socket);

}  // namespace agentctl::manager
