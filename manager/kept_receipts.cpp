// SPDX-License-Identifier: Apache-2.0
#include "manager/kept_receipts.h"

#include <dirent.h>
#include <fcntl.h>

#include <cerrno>
#include <memory>
#include <set>

#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"
#include "manager/record_size.h"

namespace agentctl::manager {
namespace {

std::string padded(const std::string& text, std::size_t width) {
  return text + std::string(width > text.size() ? width - text.size() : 0, ' ');
}

// "TITLE: 12 files", and some of their names.
std::string named_files(const JsonValue& receipt, std::string_view title, const char* names, const char* number) {
  const std::uint64_t count = receipt[number].number();
  if (count == 0) return {};
  std::string text = cat(title, ": ", count, count == 1 ? " file\n" : " files\n");
  for (const JsonValue& name : receipt[names].items) text += cat("  ", printable(name.text), "\n");
  return text;
}

}  // namespace

Result<std::vector<KeptReceipt>> read_receipts(const std::string& directory) {
  std::vector<KeptReceipt> receipts;
  UniqueFd fd(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!fd.valid() && errno == ENOENT) return receipts;
  if (!fd.valid()) return errno_error(cat("cannot read receipts in '", printable(directory), "'"));
  const int copy = ::fcntl(fd.get(), F_DUPFD_CLOEXEC, 0);
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(copy < 0 ? nullptr : ::fdopendir(copy),
                                                   [](DIR* open) { return open == nullptr ? 0 : ::closedir(open); });
  if (!stream) return errno_error(cat("cannot read receipts in '", printable(directory), "'"));
  while (const dirent* entry = ::readdir(stream.get())) {
    const std::string name(entry->d_name);
    if (name.starts_with('.') || !name.ends_with(".json")) continue;
    auto text = read_file_at(fd.get(), name, kMostRecordBytes);
    if (!text) continue;
    auto value = parse_json(*text);
    if (value && cat((*value)["id"].text, ".json") == name) receipts.push_back({std::move(*text), std::move(*value)});
  }
  return receipts;
}

Result<const KeptReceipt*> find_receipt(const std::vector<KeptReceipt>& receipts, const std::string& name) {
  const KeptReceipt* exact = nullptr;
  const KeptReceipt* begun = nullptr;
  std::set<std::string> names;
  const auto later = [](const KeptReceipt* one, const KeptReceipt& other) {
    return one == nullptr || one->value["ended_usec"].number() < other.value["ended_usec"].number();
  };
  for (const KeptReceipt& receipt : receipts) {
    const std::string& its_name = receipt.value["name"].text;
    if (receipt.value["id"].text == name) return &receipt;
    if (its_name == name && later(exact, receipt)) exact = &receipt;
    if (name.empty() || !its_name.starts_with(name)) continue;
    names.insert(its_name);
    if (later(begun, receipt)) begun = &receipt;
  }
  if (exact != nullptr) return exact;
  if (names.size() == 1) return begun;
  if (names.empty()) {
    return make_error(ErrorKind::system, cat("no receipt of a session '", printable(name), "' is kept"),
                      "a receipt is written when a session ends; 'agentctl status' shows those that run");
  }
  std::vector<std::string> candidates;
  for (const std::string& candidate : names) candidates.push_back(printable(candidate));
  return make_error(ErrorKind::usage, cat("'", printable(name), "' is ambiguous"),
                    cat("candidates: ", join(candidates, ", ")));
}

std::string receipt_details(const JsonValue& receipt) {
  std::vector<std::string> words;
  for (const JsonValue& word : receipt["command"].items) words.push_back(word.text);
  std::string text =
      cat(printable(receipt["summary"].text), "\nid         ", printable(receipt["id"].text), "\ncommand    ",
          printable(shell_quote(words)), "\nprofile    ", printable(receipt["profile"].text), "\nproject    ",
          printable(receipt["project"].text), "\nbegan      ", format_local_time(receipt["started_usec"].number()),
          "\n", receipt["cause"].text == "supervisor-lost" ? "found      " : "ended      ",
          format_local_time(receipt["ended_usec"].number()), "\n");
  if (receipt["network"]["mode"].text == "allowlist") {
    text += cat("network    allowlist: ", receipt["network"]["allowed"].number(), " connections let through, ",
                receipt["network"]["denied"].number(), " denied\n");
  }
  for (const JsonValue& warning : receipt["warnings"].items) text += cat("warning    ", printable(warning.text), "\n");
  for (const JsonValue& problem : receipt["problems"].items) text += cat("problem    ", printable(problem.text), "\n");
  const std::vector<JsonValue>& surface = receipt["exec_surface"].items;
  if (!surface.empty()) text += "changed meanwhile, and the host may run it\n";
  for (const JsonValue& finding : surface) {
    const std::string& detail = finding["detail"].text;
    text += cat("  ", padded(printable(finding["change"].text), 9), printable(finding["path"].text), "  (",
                printable(finding["kind"].text), detail.empty() ? "" : cat(": ", printable(detail)), "; run by ",
                printable(finding["run_by"].text), ")\n");
  }
  const std::uint64_t count = receipt["exec_surface_count"].number();
  if (count > surface.size()) text += cat("  and ", count - surface.size(), " more\n");
  text += named_files(receipt, "new executable files", "new_executables", "new_executable_count");
  text += named_files(receipt, "dropped with the private home", "dropped", "dropped_count");
  for (const JsonValue& gap : receipt["exec_surface_gaps"].items) text += cat("not seen   ", printable(gap.text), "\n");
  return text;
}

}  // namespace agentctl::manager
