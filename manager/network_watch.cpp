// SPDX-License-Identifier: Apache-2.0
#include "manager/network_watch.h"

#include <poll.h>

#include <utility>

#include "base/log.h"
#include "base/text.h"

namespace agentctl::manager {
namespace {

constexpr const char* kAgain = "; only a new session has it again";
constexpr const char* kNamesLost =
    "network: no names are found any more, since the process for them has ended; only a new session has it again";

}  // namespace

NetworkWatch::NetworkWatch(EventLoop& loop, Agent& agent, Callbacks callbacks)
    : loop_(loop), agent_(agent), callbacks_(std::move(callbacks)) {
  if (agent_.nat) watch_nat();
  if (agent_.door) watch_door();
}

NetworkWatch::~NetworkWatch() {
  if (agent_.nat) {
    loop_.forget(agent_.nat->lost_fd());
    loop_.forget(agent_.nat->names_lost_fd());
  }
  forget_door();
}

void NetworkWatch::watch_nat() {
  loop_.watch(agent_.nat->lost_fd(), POLLIN, [this](short) {
    loop_.forget(agent_.nat->lost_fd());
    const std::string words = agent_.nat->last_words();
    callbacks_.lost(cat("network: lost, since pasta has ended", words.empty() ? "" : ": ", words, kAgain));
  });
  loop_.watch(agent_.nat->names_lost_fd(), POLLIN, [this](short) {
    loop_.forget(agent_.nat->names_lost_fd());
    callbacks_.lost(kNamesLost);
  });
}

void NetworkWatch::watch_door() {
  hears_door_ = true;
  loop_.watch(agent_.door->told_fd(), POLLIN, [this](short) { hear(); });
  loop_.watch(agent_.door->lost_fd(), POLLIN, [this](short) {
    hear_last();
    callbacks_.lost(cat("network: lost, since the process of its door has ended", kAgain));
  });
}

void NetworkWatch::hear() {
  const auto told = agent_.door->hear();
  if (told) return callbacks_.heard(*told);
  log::debug(told.error().message);
  loop_.forget(agent_.door->told_fd());  // that it is lost is told by the other one
}

void NetworkWatch::hear_last() {
  if (!hears_door_) return;
  forget_door();
  if (const auto told = agent_.door->end()) callbacks_.heard(*told);
}

void NetworkWatch::forget_door() {
  if (!std::exchange(hears_door_, false)) return;
  loop_.forget(agent_.door->told_fd());
  loop_.forget(agent_.door->lost_fd());
}

}  // namespace agentctl::manager
