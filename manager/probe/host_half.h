// SPDX-License-Identifier: Apache-2.0
// HostHalf: everything that the probe plants on the host for one target, the runs of the inside half, and what they
// have shown. What was planted is gone with it.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "manager/probe/canary.h"
#include "manager/probe/planted_project.h"
#include "manager/probe/probe_target.h"
#include "manager/probe/scratch_place.h"
#include "manager/probe/verdict.h"

namespace agentctl::probe {

class HostHalf {
 public:
  [[nodiscard]] static Result<HostHalf> plant(const Target& target, const std::string& program,
                                              const ScratchPlace& scratch);

  // The control first, then inside; without a body of the target's the control alone, held against itself.
  [[nodiscard]] Result<std::vector<Judgement>> try_everything(const Target& target);

 private:
  HostHalf(std::string program, std::string outside) : program_(std::move(program)), outside_(std::move(outside)) {}
  Result<void> plant_files(const Target& target, const ScratchPlace& scratch, const std::string& mark);
  void plant_sockets(const std::string& mark);
  Result<void> plant_variables();
  // What this host does not give is left out: its items say so.
  void add(Result<std::unique_ptr<Canary>> canary);
  [[nodiscard]] Result<Evidence> run(std::string slow, std::function<int(const std::vector<std::string>&)> body);

  std::string program_;
  std::string outside_;
  Canaries canaries_;
  PlantedProject* project_ = nullptr;  // one of them
  std::vector<std::string> environment_;
  Planted planted_;
};

}  // namespace agentctl::probe
