// SPDX-License-Identifier: Apache-2.0
// Overloaded: one callable out of several lambdas, for std::visit.
#pragma once

namespace agentctl {

template <typename... Handlers>
struct Overloaded : Handlers... {
  using Handlers::operator()...;
};
template <typename... Handlers>
Overloaded(Handlers...) -> Overloaded<Handlers...>;  // clang 14 does not deduce aggregates by itself

}  // namespace agentctl
