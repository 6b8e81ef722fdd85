// SPDX-License-Identifier: Apache-2.0
// The lines that agentctl itself says on standard error. One prefix, one line each; the text must be printable already.
#pragma once

#include <string_view>

#include "base/error.h"

namespace agentctl::manager {

void notice(std::string_view text);    // "agentctl: …"
void print_error(const Error& error);  // plus "hint: …"

}  // namespace agentctl::manager
