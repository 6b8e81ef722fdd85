// SPDX-License-Identifier: Apache-2.0
// Any bytes as a policy: a Policy or mistakes with places, which can be merged, narrowed by and checked.
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "policy/policy_check.h"
#include "policy/policy_merge.h"
#include "policy/policy_reader.h"
#include "policy/trust_list.h"
#include "tests/fuzz/require.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace agentctl;
  using namespace agentctl::policy;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const ReadOutcome outcome = read_policy(text, "fuzzed.toml");
  for (const Diagnostic& mistake : outcome.mistakes) {
    fuzz::require(mistake.origin.line >= 1 && mistake.origin.column >= 1 && !mistake.message.empty());
    fuzz::require_printable(render(mistake));
  }
  std::vector<Diagnostic> mistakes;
  const Policy merged = merge({}, outcome.policy, mistakes);
  for (const Diagnostic& mistake : check(merged)) fuzz::require_printable(render(mistake));

  // A project's file that is narrowed gives nothing that was not there before.
  mistakes.clear();
  const Policy narrowed = narrow({}, outcome.policy, {16ULL << 30, 8}, mistakes);
  fuzz::require(narrowed.files.read_only.empty() && narrowed.files.read_write.empty() && narrowed.files.copy.empty());
  fuzz::require(narrowed.files.shown.empty() && narrowed.env.pass.empty() && narrowed.env.set.empty());
  fuzz::require(narrowed.allow.sockets.empty() && narrowed.allow.devices.empty() && !narrowed.command);
  fuzz::require(!narrowed.network || narrowed.network->value == NetworkMode::none);
  fuzz::require(narrowed.hosts.allow.empty());
  fuzz::require(!narrowed.allow.nested || !narrowed.allow.nested->value);
  (void)parse_trust_list(text, "fuzzed.toml");
  return 0;
}
