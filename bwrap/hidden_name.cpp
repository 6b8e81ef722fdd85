// SPDX-License-Identifier: Apache-2.0
#include "bwrap/hidden_name.h"

#include "base/text.h"
#include "bwrap/path_resolution.h"

namespace agentctl::bwrap {

std::vector<HiddenName> find_hidden_names(const PathFact& fact, const std::string& origin) {
  std::vector<HiddenName> names;
  for (const Link& link : fact.links) {
    if (link.rest.empty()) {
      names.push_back({link.path.str(), link.target, origin});
    } else {
      names.push_back({normalize_path(cat(link.path.str(), "/", link.rest)), {}, origin});
    }
  }
  if (!fact.missing.str().empty()) names.push_back({fact.missing.str(), {}, origin});
  return names;
}

std::vector<std::string> directories_of_names(const PathFact& fact) {
  std::vector<std::string> directories;
  for (const Link& link : fact.links) directories.push_back(parent_path(link.path.str()));
  if (!fact.present.str().empty()) directories.push_back(fact.present.str());
  return directories;
}

}  // namespace agentctl::bwrap
