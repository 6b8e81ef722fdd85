// SPDX-License-Identifier: Apache-2.0
#include "manager/ended_sessions.h"

#include <algorithm>

#include "base/text.h"

namespace agentctl::manager {

std::vector<std::string> ended_objects(std::vector<KeptReceipt> receipts) {
  std::stable_sort(receipts.begin(), receipts.end(), [](const KeptReceipt& one, const KeptReceipt& other) {
    return one.value["ended_usec"].number() > other.value["ended_usec"].number();
  });
  std::vector<std::string> objects;
  for (const KeptReceipt& receipt : receipts)
    objects.push_back(cat(R"({"state":"ended",)", trim(receipt.text).substr(1)));
  return objects;
}

}  // namespace agentctl::manager
