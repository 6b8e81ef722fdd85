// SPDX-License-Identifier: Apache-2.0
#include "base/sha256.h"

#include <sys/types.h>

#include <array>

#include <sha256.h>

namespace agentctl {

std::string sha256_hex(std::string_view data) {
  SHA2_CTX context;
  SHA256Init(&context);
  SHA256Update(&context, reinterpret_cast<const unsigned char*>(data.data()), data.size());
  std::array<char, SHA256_DIGEST_STRING_LENGTH> digits{};
  SHA256End(&context, digits.data());
  return digits.data();
}

}  // namespace agentctl
