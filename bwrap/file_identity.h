// SPDX-License-Identifier: Apache-2.0
// Which file a name led to when it was looked at: the name may lead to another one a moment later.
#pragma once

#include <sys/types.h>

namespace agentctl::bwrap {

struct FileIdentity {
  dev_t device = 0;
  ino_t inode = 0;
  friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};

}  // namespace agentctl::bwrap
