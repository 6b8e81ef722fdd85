// SPDX-License-Identifier: Apache-2.0
#include "manager/detach_keys.h"

#include <optional>
#include <utility>

#include "manager/sequence_numbers.h"

namespace agentctl::manager {
namespace {

constexpr int kPrefix = 0x1d;  // C-]

struct Key {
  std::string_view bytes;
  int code = -1;  // of the character, C-] as kPrefix; -1: some other key
  bool is_release = false;
  bool is_modifier = false;
};

// CSI CODE[:…];MODIFIERS[:EVENT] u, or CSI 27;MODIFIERS;CODE ~.
std::optional<Key> read_encoded_key(std::string_view typed) {
  if (!typed.starts_with("\x1b[")) return std::nullopt;
  const std::size_t end = typed.find_first_not_of("0123456789;:", 2);
  if (end == std::string_view::npos || (typed[end] != 'u' && typed[end] != '~')) return std::nullopt;
  const std::string_view parameters = typed.substr(2, end - 2);
  Key key;
  key.bytes = typed.substr(0, end + 1);
  // The codes of function keys are beyond what sequence_numbers takes.
  if (parameters.starts_with("57") && parameters.find_first_not_of("0123456789") == 5) {
    key.is_modifier = true;
    return key;
  }
  const auto numbers = sequence_numbers(parameters);
  if (!numbers || numbers->empty()) return key;
  const bool is_other_key = typed[end] == '~';
  if (is_other_key && (numbers->size() != 3 || (*numbers)[0] != 27)) return key;
  const int code = is_other_key ? (*numbers)[2] : (*numbers)[0];
  const int modifiers = numbers->size() > 1 ? (*numbers)[1] - 1 : 0;
  const bool has_control = (modifiers & 4) != 0;
  const bool has_others = (modifiers & (2 | 8)) != 0;  // alt, super
  key.is_release = !is_other_key && parameters.ends_with(":3");
  if (has_control && !has_others && code == ']') key.code = kPrefix;
  if (!has_control && !has_others) key.code = code;
  return key;
}

Key read_key(std::string_view typed) {
  if (auto key = read_encoded_key(typed)) return *key;
  return {typed.substr(0, 1), static_cast<unsigned char>(typed[0]), false, false};
}

}  // namespace

std::string DetachKeys::pass(std::string_view typed) {
  std::string passed;
  while (!typed.empty() && !found_) {
    const Key key = read_key(typed);
    typed.remove_prefix(key.bytes.size());
    if (pending_.empty()) {
      if (key.code == kPrefix && !key.is_release)
        pending_ = key.bytes;
      else
        passed += key.bytes;
      continue;
    }
    if (key.is_release || key.is_modifier) continue;  // the prefix let go, or a modifier
    const std::string prefix = std::exchange(pending_, {});
    if (key.code == 'd' || key.code == 'D') {
      found_ = true;
    } else if (key.code == kPrefix) {
      passed += prefix;
    } else {
      passed += prefix;
      passed += key.bytes;
    }
  }
  return passed;
}

}  // namespace agentctl::manager
