// SPDX-License-Identifier: Apache-2.0
#include "manager/probe/plantings.h"

#include <fcntl.h>

#include <algorithm>
#include <iterator>

#include "base/file.h"
#include "base/text.h"

namespace agentctl::probe {
namespace {

constexpr std::string_view kMarkHead = "agentctl-probe-";
constexpr std::size_t kMarkDigits = 12;
constexpr std::pair<PlantingKind, std::string_view> kWords[] = {
    {PlantingKind::mark, "mark"},
    {PlantingKind::file, "file"},
    {PlantingKind::shared_memory, "shared-memory"},
    {PlantingKind::queue, "queue"},
    {PlantingKind::posix_queue, "posix-queue"},
    {PlantingKind::run, "run"},
};

}  // namespace

bool is_mark(std::string_view text) {
  if (!text.starts_with(kMarkHead)) return false;
  text.remove_prefix(kMarkHead.size());
  return text.size() == kMarkDigits && std::all_of(text.begin(), text.end(), [](char digit) {
           return (digit >= '0' && digit <= '9') || (digit >= 'a' && digit <= 'f');
         });
}

std::string write_planting(const Planting& planting) {
  if (planting.what.empty() || planting.what.find('\n') != std::string::npos) return {};
  const auto word = std::find_if(std::begin(kWords), std::end(kWords),
                                 [&](const auto& known) { return known.first == planting.kind; });
  return cat(word->second, " ", planting.what, "\n");
}

Result<Planting> read_planting(std::string_view line) {
  for (const auto& [kind, word] : kWords) {
    if (line.size() <= word.size() + 1 || !line.starts_with(word) || line[word.size()] != ' ') continue;
    return Planting{kind, std::string(line.substr(word.size() + 1))};
  }
  return make_error(ErrorKind::internal, "no line of what a probe has planted");
}

Result<Plantings> Plantings::begin(const std::string& directory) {
  return Plantings(AGENTCTL_TRY(open_at(AT_FDCWD, cat(directory, "/", kPlantingsFile),
                                        O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW, 0600)));
}

Result<void> Plantings::note(PlantingKind kind, std::string what) {
  return write_all(file_.get(), write_planting({kind, std::move(what)}));
}

}  // namespace agentctl::probe
