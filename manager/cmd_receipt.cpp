// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "base/file.h"
#include "base/text.h"
#include "manager/commands.h"
#include "manager/exit_status.h"
#include "manager/kept_receipts.h"
#include "manager/notice.h"
#include "manager/registry.h"
#include "manager/state_dirs.h"

namespace agentctl::manager {

Result<int> run_receipt(const ReceiptOptions& options) {
  const Listing listing = list_sessions();  // one whose supervisor was killed gets its receipt only now
  const std::string state = AGENTCTL_TRY(state_dir_path());
  const auto receipts = AGENTCTL_TRY(read_receipts(state + "/receipts"));
  if (options.name.empty()) {
    if (!options.json && receipts.empty()) {
      notice("no receipt is kept yet: one is written when a session ends");
      return kExitSuccess;
    }
    AGENTCTL_TRY_VOID(write_all(1, options.json ? receipt_array(receipts) : receipt_table(receipts)));
    return kExitSuccess;
  }
  const KeptReceipt* receipt = AGENTCTL_TRY(find_receipt(receipts, options.name));
  const std::string& name = receipt->value["name"].text;
  for (const KnownSession& session : listing.sessions) {
    if (session.record.name != name || session.record.id == receipt->value["id"].text) continue;
    notice(cat("'", printable(name), "' runs at present; this is the receipt of an earlier session of that name"));
  }
  const auto has_that_name = [&](const KeptReceipt& other) { return other.value["name"].text == name; };
  const auto earlier = std::count_if(receipts.begin(), receipts.end(), has_that_name) - 1;
  if (earlier > 0 && options.name != receipt->value["id"].text) {
    notice(cat("the last of ", earlier + 1, " sessions of that name; 'agentctl receipt' lists the ids of the others"));
  }
  AGENTCTL_TRY_VOID(write_all(1, options.json ? receipt->text : receipt_details(receipt->value)));
  return kExitSuccess;
}

}  // namespace agentctl::manager
