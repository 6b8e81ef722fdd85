// SPDX-License-Identifier: Apache-2.0
// Rows of cells as text for people: each column as wide as its widest cell, two spaces between them. Pure; what is
// foreign in a cell must have passed printable().
#pragma once

#include <string>
#include <vector>

namespace agentctl::manager {

using TableRow = std::vector<std::string>;
[[nodiscard]] std::string text_table(const std::vector<TableRow>& rows);  // all of one length

}  // namespace agentctl::manager
