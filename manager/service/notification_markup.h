// SPDX-License-Identifier: Apache-2.0
// Plain text as the body and the title of a desktop notification. The body is markup (Desktop Notifications
// Specification 1.2, "Markup"): a name or a path must not bring any. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace agentctl::manager::service {

// One printable line; no markup is read in a title. Long ones are cut.
[[nodiscard]] std::string notification_title(std::string_view text);

// Each line printable, with & < > escaped, and cut where it is long; of many lines the first ones.
[[nodiscard]] std::string notification_body(const std::vector<std::string>& lines);

}  // namespace agentctl::manager::service
