// SPDX-License-Identifier: Apache-2.0
// HostHalf: everything that the probe plants on the host for one target, the runs of the inside half, and what they
// have shown. What was planted is gone with it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "manager/probe/canary.h"
#include "manager/probe/planted_project.h"
#include "manager/probe/plantings.h"
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
  HostHalf(std::string program, std::string outside, Plantings plantings)
      : program_(std::move(program)), outside_(std::move(outside)), plantings_(std::move(plantings)) {}
  Result<void> plant_shared_objects();
  Result<void> plant_files(const Target& target, const ScratchPlace& scratch);
  Result<void> plant_sockets(const Target& target);
  // A path with the mark in its last name, on the list of what is planted.
  Result<std::string> marked(std::string_view before, std::string_view after = {});
  // A name that an item tries to make; nothing where there is no such directory.
  Result<void> keep_free(std::string item, const std::string& directory);
  Result<void> plant_variables();
  // What this host does not give is left out: its items say so.
  void add(Result<std::unique_ptr<Canary>> canary);
  [[nodiscard]] Result<Evidence> run(std::string slow, std::function<int(const std::vector<std::string>&)> body);

  std::string program_;
  std::string outside_;
  Plantings plantings_;
  std::string mark_;  // in the names of what is planted
  Canaries canaries_;
  PlantedProject* project_ = nullptr;  // one of them
  std::string home_secret_;            // the path of one
  std::vector<std::string> environment_;
  Planted planted_;
};

}  // namespace agentctl::probe
