// SPDX-License-Identifier: Apache-2.0
#include "base/sha1.h"

#include <sys/types.h>

#include <array>

#include <sha1.h>

namespace agentctl {

std::string sha1_hex(std::string_view data) {
  SHA1_CTX context;
  SHA1Init(&context);
  SHA1Update(&context, reinterpret_cast<const unsigned char*>(data.data()), data.size());
  std::array<char, SHA1_DIGEST_STRING_LENGTH> digits{};
  SHA1End(&context, digits.data());
  return digits.data();
}

}  // namespace agentctl
