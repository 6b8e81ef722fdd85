// SPDX-License-Identifier: Apache-2.0
#include "egress/hello_gate.h"

namespace agentctl::egress {

RelayGate::State HelloGate::state() const {
  switch (second_.state()) {
    case SecondHello::State::watching:
      return State::watching;
    case SecondHello::State::over:
      return State::over;
    case SecondHello::State::refused:
      break;
  }
  return State::refused;
}

}  // namespace agentctl::egress
