// SPDX-License-Identifier: Apache-2.0
// The lists of [files] as a table, for what treats them alike.
#pragma once

#include <array>
#include <string_view>

#include "policy/policy.h"

namespace agentctl::policy {

struct FileList {
  std::string_view name;
  Entries FileSettings::*entries;
  bool is_grant;  // puts something inside; a path stands in one grant at most
  bool has_globs;
};

inline constexpr std::array<FileList, 6> kFileLists = {{
    {"read-only", &FileSettings::read_only, true, false},
    {"read-write", &FileSettings::read_write, true, false},
    {"copy", &FileSettings::copy, true, false},
    {"hide", &FileSettings::hide, false, true},
    {"protect", &FileSettings::protect, false, true},
    {"optional", &FileSettings::optional, false, true},
}};

}  // namespace agentctl::policy
