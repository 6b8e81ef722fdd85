// SPDX-License-Identifier: Apache-2.0
#include "manager/probe/secret.h"

#include <sys/random.h>

#include "base/text.h"
#include "manager/probe/secret_mark.h"

namespace agentctl::probe {

Result<std::string> random_hex(std::size_t digits) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string bytes(digits, '\0');
  if (::getrandom(bytes.data(), digits, 0) != static_cast<ssize_t>(digits))
    return errno_error("cannot get random bytes");
  for (char& byte : bytes) byte = kDigits[static_cast<unsigned char>(byte) & 15U];
  return bytes;
}

Result<std::string> make_secret() { return cat(kSecretMark, AGENTCTL_TRY(random_hex(kSecretDigits))); }

}  // namespace agentctl::probe
