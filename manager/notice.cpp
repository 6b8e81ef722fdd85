// SPDX-License-Identifier: Apache-2.0
#include "manager/notice.h"

#include <unistd.h>

#include <string>

#include "base/file.h"
#include "base/text.h"

namespace agentctl::manager {

void notice(std::string_view text) { (void)write_all(2, cat("agentctl: ", text, "\n")); }

void print_error(const Error& error) {
  std::string text = cat("agentctl: ", error.message, "\n");
  if (!error.hint.empty()) text += cat("hint: ", error.hint, "\n");
  (void)write_all(2, text);
}

}  // namespace agentctl::manager
