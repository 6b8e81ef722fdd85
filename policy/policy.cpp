// SPDX-License-Identifier: Apache-2.0
#include "policy/policy.h"

#include "base/text.h"

namespace agentctl::policy {

bool is_built_in(const Origin& origin) { return origin.source.starts_with("built-in "); }

std::string to_string(const Origin& origin) {
  if (origin.line == 0) return printable(origin.source);
  if (origin.column == 0) return cat(printable(origin.source), ':', origin.line);
  return cat(printable(origin.source), ':', origin.line, ':', origin.column);
}

}  // namespace agentctl::policy
