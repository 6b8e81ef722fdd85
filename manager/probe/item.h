// SPDX-License-Identifier: Apache-2.0
// Item: one attempt of the probe to get through one wall: what it is for, and who can tell how it went. Pure data.
#pragma once

#include <string_view>
#include <vector>

namespace agentctl::probe {

// Who tells that an attempt has got through. What the inside half says counts alone only where nothing else could tell:
// what a system call gave.
enum class Witness {
  report,  // the inside half's word
  effect,  // what the host half sees: a byte arrived, a file changed, a process lives
  secret,  // the inside half names a secret that it was never told
  either,  // its word or an effect, whichever is worse; without a sandbox both must be there
};

// What of the policy can let it through, so that it is no failure.
enum class Opening {
  none,
  network,
  abstract_sockets,
  nested,
  output,
  ssh_agent,
  gpg_agent,
  wayland,
  graphics,
  virtual_machines,
  limits,
  home,
  paths
};

struct Item {
  std::string_view name;    // as the inside half prints it
  std::string_view row;     // of the catalogue of attacks: its class is the letter
  std::string_view title;   // what must not work
  std::string_view why;     // what an attacker has from it
  std::string_view source;  // where it is known from; "" where it is plain
  std::string_view remedy;  // for whoever builds a sandbox
  Witness witness = Witness::report;
  Opening opening = Opening::none;
};

[[nodiscard]] std::string_view class_of(const Item& item);  // "terminal", "files"

// Of each class; all of them in the order in which they are shown.
[[nodiscard]] const std::vector<Item>& terminal_items();
[[nodiscard]] const std::vector<Item>& endpoint_items();
[[nodiscard]] const std::vector<Item>& process_items();
[[nodiscard]] const std::vector<Item>& call_items();
[[nodiscard]] const std::vector<Item>& file_items();
[[nodiscard]] const std::vector<Item>& launch_items();
[[nodiscard]] const std::vector<Item>& all_items();

}  // namespace agentctl::probe
