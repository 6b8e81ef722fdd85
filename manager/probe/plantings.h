// SPDX-License-Identifier: Apache-2.0
// Plantings: the list of what a probe plants outside of its scratch place, kept in that, each line written before the
// thing is made. A probe that is killed leaves it behind, and the next one removes what it names (dead_probe.h).
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "base/unique_fd.h"

namespace agentctl::probe {

// What names of files, shared memory and queues hold, so that no line removes anything else: "agentctl-probe-" and
// twelve hexadecimal digits.
[[nodiscard]] bool is_mark(std::string_view text);

enum class PlantingKind { mark, file, shared_memory, queue, posix_queue, run };
struct Planting {
  PlantingKind kind = PlantingKind::file;
  std::string what;  // the mark, a path, a key of System V, a name, what a run's processes have among their arguments
};
// One line, with its end. What holds a line's end itself is not written.
[[nodiscard]] std::string write_planting(const Planting& planting);
[[nodiscard]] Result<Planting> read_planting(std::string_view line);

inline constexpr const char* kPlantingsFile = "planted";

class Plantings {
 public:
  // `directory`: the scratch place, in which there is no such list yet.
  [[nodiscard]] static Result<Plantings> begin(const std::string& directory);
  [[nodiscard]] Result<void> note(PlantingKind kind, std::string what);

 private:
  explicit Plantings(UniqueFd file) : file_(std::move(file)) {}
  UniqueFd file_;
};

}  // namespace agentctl::probe
