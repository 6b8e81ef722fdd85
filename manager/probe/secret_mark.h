// SPDX-License-Identifier: Apache-2.0
// How a secret of the probe's canaries looks: a mark and hexadecimal digits. The inside half knows the mark alone; that
// it has read a secret is proven by the digits, which it was never told.
#pragma once

#include <cstddef>

namespace agentctl::probe {

inline constexpr const char* kSecretMark = "agentctl-canary-";
inline constexpr std::size_t kSecretDigits = 24;

}  // namespace agentctl::probe
