// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "base/clock.h"
#include "base/quantity.h"
#include "base/text.h"
#include "manager/kept_receipts.h"
#include "manager/receipt.h"
#include "manager/text_table.h"

namespace agentctl::manager {
namespace {

constexpr std::uint64_t kSignalBase = 128;

std::vector<const KeptReceipt*> newest_first(const std::vector<KeptReceipt>& receipts) {
  std::vector<const KeptReceipt*> sorted;
  for (const KeptReceipt& receipt : receipts) sorted.push_back(&receipt);
  std::stable_sort(sorted.begin(), sorted.end(), [](const KeptReceipt* one, const KeptReceipt* other) {
    return one->value["ended_usec"].number() > other->value["ended_usec"].number();
  });
  return sorted;
}

std::string how_it_ended(const JsonValue& receipt) {
  if (receipt["killed_by_memory_limit"].text == "true") return "memory limit";
  std::string cause = printable(receipt["cause"].text);
  if (cause != "exited") {
    std::replace(cause.begin(), cause.end(), '-', ' ');
    return cause;
  }
  const std::uint64_t status = receipt["exit_status"].number();
  const bool is_signal = status > kSignalBase && status < 2 * kSignalBase;
  const char* name = is_signal ? ::sigabbrev_np(static_cast<int>(status - kSignalBase)) : nullptr;
  return name == nullptr ? cat("exited with ", status) : cat("SIG", name);
}

std::string how_long(const JsonValue& receipt) {
  const std::uint64_t began = receipt["started_usec"].number();
  const std::uint64_t ended = receipt["ended_usec"].number();
  return ended < began ? "-" : format_rounded(ended - began);
}

std::string memory_peak(const JsonValue& receipt) {
  const JsonValue& peak = receipt["usage"]["memory_peak"];
  return peak.kind == JsonValue::Kind::number ? format_size(peak.number()) : "-";
}

}  // namespace

std::string receipt_table(const std::vector<KeptReceipt>& receipts) {
  std::vector<TableRow> rows = {{"NAME", "ID", "ENDED", "HOW", "AFTER", "MEMORY", "PROJECT"}};
  for (const KeptReceipt* receipt : newest_first(receipts)) {
    const JsonValue& value = receipt->value;
    rows.push_back({printable(value["name"].text), printable(value["id"].text),
                    format_local_time(value["ended_usec"].number()), how_it_ended(value), how_long(value),
                    memory_peak(value), printable(value["project"].text)});
  }
  return text_table(rows);
}

std::string receipt_array(const std::vector<KeptReceipt>& receipts) {
  std::vector<std::string> objects;
  for (const KeptReceipt* receipt : newest_first(receipts)) objects.emplace_back(trim(receipt->text));
  return cat("[", join(objects, ",\n "), "]\n");
}

}  // namespace agentctl::manager
