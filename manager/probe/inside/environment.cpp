// SPDX-License-Identifier: Apache-2.0
// Attempts to find in the environment what the launcher of the host half has put there.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "manager/probe/inside/attempt.h"
#include "manager/probe/planted_variables.h"

namespace agentctl::probe {
namespace {

void secret_in(Outcome& outcome, const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr) return blocked(outcome, "not set");
  char found[200] = "";
  if (find_secrets(value, std::strlen(value), found, sizeof found) == 0)
    return blocked(outcome, "holds something else");
  open_wall(outcome, "%s", found);
}

void secret(Outcome& outcome) { secret_in(outcome, kSecretVariable); }
void secret_like_locale(Outcome& outcome) { secret_in(outcome, kLocaleVariable); }

// Variables from which programs take code.
void code(Outcome& outcome) {
  char set[200] = "";
  for (const char* name : kCodeVariables) {
    const char* value = std::getenv(name);
    if (value == nullptr || std::strcmp(value, kPlantedCode) != 0) continue;
    add_word(set, sizeof set, name);
  }
  if (set[0] == 0) return blocked(outcome, "none is set");
  open_wall(outcome, "%s", set);
}

constexpr Attempt kAttempts[] = {
    {"variable", secret},
    {"variable-like-locale", secret_like_locale},
    {"variable-code", code},
};

}  // namespace

AttemptList environment_attempts() { return {kAttempts, sizeof kAttempts / sizeof kAttempts[0]}; }

}  // namespace agentctl::probe
