// SPDX-License-Identifier: Apache-2.0
#include "bwrap/gpg_socket_directory.h"

#include <array>
#include <bit>
#include <cstdint>
#include <string_view>

#include "base/text.h"

namespace agentctl::bwrap {
namespace {

constexpr std::size_t kBlock = 64;
constexpr std::size_t kHashedBytes = 15;  // what GnuPG takes of the 20

// FIPS 180-4. A name for a directory, no protection.
void mix_block(std::array<std::uint32_t, 5>& state, std::string_view block) {
  std::array<std::uint32_t, 80> words{};
  for (std::size_t at = 0; at < 16; ++at) {
    for (std::size_t byte = 0; byte < 4; ++byte) {
      words[at] = words[at] << 8 | static_cast<unsigned char>(block[at * 4 + byte]);
    }
  }
  for (std::size_t at = 16; at < 80; ++at) {
    words[at] = std::rotl(words[at - 3] ^ words[at - 8] ^ words[at - 14] ^ words[at - 16], 1);
  }
  auto [a, b, c, d, e] = state;
  for (std::size_t at = 0; at < 80; ++at) {
    const std::uint32_t choice = at < 20   ? ((b & c) | (~b & d)) + 0x5a827999U
                                 : at < 40 ? (b ^ c ^ d) + 0x6ed9eba1U
                                 : at < 60 ? ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdcU
                                           : (b ^ c ^ d) + 0xca62c1d6U;
    const std::uint32_t next = std::rotl(a, 5) + choice + e + words[at];
    e = d;
    d = c;
    c = std::rotl(b, 30);
    b = a;
    a = next;
  }
  state = {state[0] + a, state[1] + b, state[2] + c, state[3] + d, state[4] + e};
}

std::array<std::uint8_t, 20> sha1(std::string_view text) {
  std::string padded(text);
  padded += '\x80';
  while (padded.size() % kBlock != kBlock - 8) padded += '\0';
  const std::uint64_t bits = static_cast<std::uint64_t>(text.size()) * 8;
  for (int shift = 56; shift >= 0; shift -= 8) padded += static_cast<char>(bits >> shift & 0xff);
  std::array<std::uint32_t, 5> state = {0x67452301U, 0xefcdab89U, 0x98badcfeU, 0x10325476U, 0xc3d2e1f0U};
  for (std::size_t at = 0; at < padded.size(); at += kBlock) {
    mix_block(state, std::string_view(padded).substr(at, kBlock));
  }
  std::array<std::uint8_t, 20> hash{};
  for (std::size_t at = 0; at < hash.size(); ++at) {
    hash[at] = static_cast<std::uint8_t>(state[at / 4] >> (24 - 8 * (at % 4)) & 0xffU);
  }
  return hash;
}

// Five bits a letter, the high ones first: https://philzimmermann.com/docs/human-oriented-base-32-encoding.txt
std::string zbase32(const std::uint8_t* bytes, std::size_t count) {
  constexpr std::string_view kLetters = "ybndrfg8ejkmcpqxot1uwisza345h769";
  std::string out;
  std::uint32_t pending = 0;
  int bits = 0;
  for (std::size_t at = 0; at < count; ++at) {
    pending = pending << 8 | bytes[at];
    for (bits += 8; bits >= 5; bits -= 5) out += kLetters[pending >> (bits - 5) & 31U];
  }
  return out;
}

}  // namespace

std::string gpg_socket_directory(uid_t uid, const std::string& gpg_home, const std::string& default_home) {
  const std::string directory = cat("/run/user/", uid, "/gnupg");
  if (gpg_home == default_home) return directory;
  return cat(directory, "/d.", zbase32(sha1(gpg_home).data(), kHashedBytes));
}

}  // namespace agentctl::bwrap
