// SPDX-License-Identifier: Apache-2.0
// PlanTree: in which mount of a plan a path lies. Seals are no mounts. Pure; the plan outlives it.
#pragma once

#include <map>
#include <string_view>

#include "bwrap/plan.h"

namespace agentctl::bwrap {

class PlanTree {
 public:
  explicit PlanTree(const Plan& plan);

  // What is made at the nearest place above `path`, not at it; null for what lies in the root alone.
  [[nodiscard]] const Operation* around(std::string_view path) const;
  // By destination.
  [[nodiscard]] const std::map<std::string_view, const Operation*>& operations() const { return operations_; }

 private:
  std::map<std::string_view, const Operation*> operations_;
};

}  // namespace agentctl::bwrap
