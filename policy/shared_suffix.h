// SPDX-License-Identifier: Apache-2.0
// Names below which anybody can have a name of their own, so that a pattern over them ('*.github.io') allows hosts that
// belong to whoever wants them. A short list of the best known, after the Public Suffix List; only for a warning, never
// for a decision: what is not in it is not thereby safe. Pure.
#pragma once

#include "policy/host_name.h"

namespace agentctl::policy {

[[nodiscard]] bool is_shared_suffix(const HostName& name);  // one of them, or a part of one ("com")

}  // namespace agentctl::policy
