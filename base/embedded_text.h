// SPDX-License-Identifier: Apache-2.0
// EmbeddedText: the text of a file of the source tree, compiled in by embed_texts.cmake (agentctl_embed_texts in the
// top CMakeLists.txt): a session must not depend on files that may be missing or old.
#pragma once

#include <span>
#include <string_view>

namespace agentctl {

struct EmbeddedText {
  std::string_view name;
  std::string_view text;
};

}  // namespace agentctl
