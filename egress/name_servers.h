// SPDX-License-Identifier: Apache-2.0
// NameServers: where this machine asks for names, as resolv.conf(5) says it at the moment: laptops change it all day.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "policy/ip_address.h"

namespace agentctl::egress {

// At most three, as the C library's resolver; 127.0.0.1 where none is named. One with a zone (fe80::1%eth0) is left
// out.
[[nodiscard]] std::vector<policy::IpAddress> parse_name_servers(std::string_view resolv_conf);

class NameServers {
 public:
  explicit NameServers(std::string path) : path_(std::move(path)) {}
  // Read anew where the file is another one than before.
  [[nodiscard]] const std::vector<policy::IpAddress>& list();

 private:
  std::string path_;
  std::string version_;
  std::vector<policy::IpAddress> servers_;
};

}  // namespace agentctl::egress
