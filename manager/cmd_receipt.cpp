// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "base/file.h"
#include "manager/commands.h"
#include "manager/exit_status.h"
#include "manager/kept_receipts.h"
#include "manager/state_dirs.h"

namespace agentctl::manager {

Result<int> run_receipt(const ReceiptOptions& options) {
  const std::string state = AGENTCTL_TRY(state_dir_path());
  const auto receipts = AGENTCTL_TRY(read_receipts(state + "/receipts"));
  const KeptReceipt* receipt = AGENTCTL_TRY(find_receipt(receipts, options.name));
  AGENTCTL_TRY_VOID(write_all(1, options.json ? receipt->text : receipt_details(receipt->value)));
  return kExitSuccess;
}

}  // namespace agentctl::manager
