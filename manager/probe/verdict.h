// SPDX-License-Identifier: Apache-2.0
// Verdict: what the evidence of two runs says of one wall: the control, without a sandbox, and the one inside. An
// attempt that does not get through without a sandbox proves nothing. Pure.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "manager/probe/evidence.h"
#include "manager/probe/item.h"

namespace agentctl::probe {

enum class Verdict {
  pass,
  fail,
  allowed,  // got through, as the policy says
  skip,     // not to be tried here; the reason is told
  invalid,  // VOID: the attempt or its control has failed by itself, so nothing is known
};
[[nodiscard]] std::string_view to_string(Verdict verdict);  // "PASS"

// What the policy in effect opens.
struct Grants {
  std::set<Opening> openings;
  std::vector<std::string> readable;  // absolute paths that it shows, and all below them
  std::vector<std::string> writable;
};

struct Judgement {
  const Item* item = nullptr;
  Verdict verdict = Verdict::invalid;
  std::string detail;  // printable
};

[[nodiscard]] Judgement judge(const Item& item, const Evidence& control, const Evidence& inside, const Planted& planted,
                              const Grants& grants);
// Neither FAIL nor VOID among them.
[[nodiscard]] bool is_passed(const std::vector<Judgement>& judgements);

}  // namespace agentctl::probe
