// SPDX-License-Identifier: Apache-2.0
#include "manager/lost_session.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"
#include "manager/receipt_store.h"
#include "manager/state_dirs.h"

namespace agentctl::manager {
namespace {

// Less than at an end of its own: somebody waits for another command's answer.
constexpr SurfaceBounds kBounds{.entries = 50'000, .usec = 200'000};

}  // namespace

void keep_lost_receipt(const Record& record, const units::CgroupUsage& usage) {
  if (record.state == "starting") return;
  const auto receipts = open_receipts_dir();
  const std::string name = record.id + ".json";
  if (!receipts || ::faccessat(receipts->get(), name.c_str(), F_OK, AT_SYMLINK_NOFOLLOW) == 0) return;
  SessionOutcome outcome;
  outcome.cause = EndCause::lost;
  outcome.usage = usage;
  outcome.ended_usec = realtime_usec();
  outcome.problems.emplace_back("its supervisor was killed: when the session ended, and how, is not known");
  const auto this_boot = boot_id();
  const bool same_boot = this_boot && *this_boot == record.boot_id;
  const std::int64_t since = same_boot ? changed_since(record.surface_mark, mark_surface()) : record.surface_mark.stamp;
  outcome.surface = report_surface(record.surface_roots, since, kBounds);
  (void)store_receipt(receipts->get(), record, outcome);
}

}  // namespace agentctl::manager
