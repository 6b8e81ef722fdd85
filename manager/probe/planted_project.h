// SPDX-License-Identifier: Apache-2.0
// A project that is made for the probe: a small repository with a hook, files named like secrets, a link that leads
// out. Its directory is the probe's own and goes with it.
#pragma once

#include <string>

#include "base/result.h"
#include "manager/probe/canary.h"

namespace agentctl::probe {

class PlantedProject : public Canary {
 public:
  // `outside`: the directory to which the link leads.
  [[nodiscard]] static Result<std::unique_ptr<PlantedProject>> plant(const std::string& directory,
                                                                     const std::string& outside);
  void describe(Planted& planted) const override;
  void reset() override { (void)write(); }
  void look(Evidence& evidence) override;

  // One as an editor saves: a new file with another secret is renamed over the hidden one; another is deleted first.
  [[nodiscard]] Result<void> replace_hidden_files() const;

 private:
  PlantedProject(std::string directory, std::string outside)
      : directory_(std::move(directory)), outside_(std::move(outside)) {}
  [[nodiscard]] Result<void> write() const;
  [[nodiscard]] std::string in(std::string_view name) const;

  std::string directory_;
  std::string outside_;
  std::string env_secret_, key_secret_, old_secret_, new_secret_, deleted_secret_, later_secret_;
};

}  // namespace agentctl::probe
