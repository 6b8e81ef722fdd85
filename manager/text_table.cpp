// SPDX-License-Identifier: Apache-2.0
#include "manager/text_table.h"

#include <algorithm>

namespace agentctl::manager {

std::string text_table(const std::vector<TableRow>& rows) {
  std::vector<std::size_t> widths;
  for (const TableRow& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t column = 0; column < row.size(); ++column)
      widths[column] = std::max(widths[column], row[column].size());
  }
  std::string text;
  for (const TableRow& row : rows) {
    for (std::size_t column = 0; column < row.size(); ++column) {
      text += row[column];
      if (column + 1 < row.size()) text += std::string(widths[column] - row[column].size() + 2, ' ');
    }
    text += '\n';
  }
  return text;
}

}  // namespace agentctl::manager
