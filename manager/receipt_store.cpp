// SPDX-License-Identifier: Apache-2.0
#include "manager/receipt_store.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "base/file.h"
#include "manager/receipt.h"
#include "manager/session_log.h"
#include "manager/state_dirs.h"
#include "units/unit_name.h"

namespace agentctl::manager {
namespace {

constexpr std::string_view kEnding = ".json";
constexpr std::size_t kSpareReceipts = 20;  // looking which are the oldest takes as long as all else that an end does

bool is_receipt(std::string_view name) {
  return name.ends_with(kEnding) && units::is_session_id(name.substr(0, name.size() - kEnding.size()));
}

std::vector<std::string> list_receipts(int directory) {
  std::vector<std::string> names;
  const int copy = ::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(copy < 0 ? nullptr : ::fdopendir(copy),
                                                   [](DIR* open) { return open == nullptr ? 0 : ::closedir(open); });
  if (!stream) return names;
  while (const dirent* entry = ::readdir(stream.get())) {
    if (is_receipt(entry->d_name)) names.emplace_back(entry->d_name);
  }
  return names;
}

// Another session that ends just now may remove the same ones.
void remove_oldest(int directory) {
  const std::vector<std::string> names = list_receipts(directory);
  if (names.size() < kMostReceipts + kSpareReceipts) return;
  std::vector<std::pair<std::pair<time_t, long>, std::string>> dated;
  for (const std::string& name : names) {
    struct stat status {};
    if (::fstatat(directory, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
    dated.push_back({{status.st_mtim.tv_sec, status.st_mtim.tv_nsec}, name});
  }
  std::sort(dated.begin(), dated.end());
  const auto state = state_dir_path();
  for (std::size_t at = 0; at + kMostReceipts < dated.size(); ++at) {
    const std::string& name = dated[at].second;
    ::unlinkat(directory, name.c_str(), 0);
    if (state) remove_session_log(*state, name.substr(0, name.size() - kEnding.size()));
  }
}

}  // namespace

Result<void> store_receipt(int directory, const Record& record, const SessionOutcome& outcome) {
  AGENTCTL_TRY_VOID(
      replace_file_at(directory, record.id + std::string(kEnding), receipt_json(record, outcome) + "\n", 0600));
  remove_oldest(directory);
  return {};
}

}  // namespace agentctl::manager
