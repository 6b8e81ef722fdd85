// SPDX-License-Identifier: Apache-2.0
// Canary: something of the probe's that stands on the host and is to be reached from inside, or not. Owned by the host
// half; what was made for it is gone with it.
#pragma once

#include <memory>
#include <vector>

#include "manager/probe/evidence.h"

namespace agentctl::probe {

class Canary {
 public:
  Canary() = default;
  Canary(const Canary&) = delete;
  Canary& operator=(const Canary&) = delete;
  virtual ~Canary() = default;

  // What the inside half is told of it, and which secret it holds.
  virtual void describe(Planted& planted) const = 0;
  // As it was at first, before each run.
  virtual void reset() = 0;
  // What has happened to it since.
  virtual void look(Evidence& evidence) = 0;
};

using Canaries = std::vector<std::unique_ptr<Canary>>;

}  // namespace agentctl::probe
