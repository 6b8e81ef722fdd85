// SPDX-License-Identifier: Apache-2.0
#include "manager/probe/item.h"

namespace agentctl::probe {

std::string_view class_of(const Item& item) {
  switch (item.row.empty() ? ' ' : item.row.front()) {
    case 'A':
      return "terminal";
    case 'B':
      return "endpoints";
    case 'C':
      return "processes";
    case 'D':
      return "calls";
    case 'E':
      return "files";
    case 'H':
      return "launch";
    default:
      return "other";
  }
}

const std::vector<Item>& all_items() {
  static const std::vector<Item> all = [] {
    std::vector<Item> items;
    for (const auto* list :
         {&terminal_items(), &endpoint_items(), &process_items(), &call_items(), &file_items(), &launch_items()}) {
      items.insert(items.end(), list->begin(), list->end());
    }
    return items;
  }();
  return all;
}

}  // namespace agentctl::probe
