// SPDX-License-Identifier: Apache-2.0
// Messages between a ScopeBroker and its owner, over a SOCK_SEQPACKET pair: a verb and words, at most one descriptor;
// each verb is answered, with "ok" and words or with "error" and an Error's words.
#pragma once

#include "base/result.h"
#include "base/unique_fd.h"
#include "units/scope_message.h"

namespace agentctl::units {

enum class BrokerVerb {
  connect,
  connect_private,
  start,
  confirm,
  set_limits,
  set_slice_limits,
  drop_ins,
  stop,
  settle
};

struct BrokerRequest {
  BrokerVerb verb = BrokerVerb::settle;
  Words words;
  UniqueFd descriptor;
};

// The owner's side. A broker that has died is an Error.
[[nodiscard]] Result<void> send_words(int socket, BrokerVerb verb, const Words& words, int descriptor);
[[nodiscard]] Result<Words> receive_answer(int socket);
[[nodiscard]] Result<Words> ask_broker(int socket, BrokerVerb verb, const Words& words);

// The broker's side. An Error: the owner has closed its end.
[[nodiscard]] Result<BrokerRequest> receive_request(int socket);
void send_answer(int socket, const Result<Words>& answer);

}  // namespace agentctl::units
