// SPDX-License-Identifier: Apache-2.0
// Evidence: what one run of the inside half has shown: its own words, and what was seen from outside. Planted: what it
// was told, and what it was not. Plain data.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"

namespace agentctl::probe {

enum class Finding { blocked, open, skip, crash };

struct ReportLine {
  Finding finding = Finding::blocked;
  std::string detail;
};

struct Evidence {
  std::map<std::string, ReportLine, std::less<>> lines;  // by the item's name
  std::set<std::string, std::less<>> effects;            // names of items
  bool ended = false;                                    // it said that it had made every attempt
  std::string complaints;                                // what the program around it wrote to standard error
  int exit_status = 0;
};

struct Planted {
  std::vector<std::string> words;                                        // KEY=value for the inside half
  std::map<std::string, std::vector<std::string>, std::less<>> secrets;  // by the item's name
  std::map<std::string, std::string, std::less<>> paths;                 // what the item's attempt is on

  void tell(std::string_view key, std::string_view value) { words.push_back(cat(key, "=", value)); }
};

}  // namespace agentctl::probe
