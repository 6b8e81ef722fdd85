// SPDX-License-Identifier: Apache-2.0
// The receipts of ended sessions in the state directory: found by name or id, and shown to people.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "manager/json_value.h"

namespace agentctl::manager {

struct KeptReceipt {
  std::string text;  // the file's
  JsonValue value;
};

// Those that can be read, as receipt_json() made them. An Error if the directory cannot be.
[[nodiscard]] Result<std::vector<KeptReceipt>> read_receipts(const std::string& directory);

// The last one of that name, the one of that id, or the last one of the only name that begins so. Pure.
[[nodiscard]] Result<const KeptReceipt*> find_receipt(const std::vector<KeptReceipt>& receipts,
                                                      const std::string& name);

[[nodiscard]] std::string receipt_details(const JsonValue& receipt);  // pure

// All of them, the one that ended last first; as text a line each. Pure.
[[nodiscard]] std::string receipt_table(const std::vector<KeptReceipt>& receipts);
[[nodiscard]] std::string receipt_array(const std::vector<KeptReceipt>& receipts);  // JSON

}  // namespace agentctl::manager
