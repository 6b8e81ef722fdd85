// SPDX-License-Identifier: Apache-2.0
// The files of a repository, which an agent may have written: configuration, index, gitfiles and pointers.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "bwrap/git_config.h"
#include "bwrap/git_index.h"
#include "bwrap/git_pointer.h"
#include "manager/git_config_keys.h"
#include "tests/fuzz/require.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace agentctl;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto settings = bwrap::parse_git_config(text)) {
    for (const bwrap::GitSetting& setting : *settings) {
      fuzz::require(setting.key.find('.') != std::string::npos);
      fuzz::require(bwrap::find_setting(*settings, setting.key).has_value());
    }
  }
  (void)manager::read_git_config_keys(text);
  for (const auto& pointer : {bwrap::parse_gitfile(text), bwrap::parse_path_line(text)}) {
    if (!pointer) continue;
    fuzz::require(!pointer->empty() && pointer->find_first_of(std::string_view("\n\0", 2)) == std::string::npos);
    fuzz::require(bwrap::path_from("/home/ada", *pointer).starts_with('/'));
  }
  for (const bwrap::GitHash hash : {bwrap::GitHash::sha1, bwrap::GitHash::sha256}) {
    std::string before;
    (void)bwrap::read_git_index(text, hash, [&](const bwrap::GitIndexEntry& entry) {
      fuzz::require(!entry.path.empty() && !entry.path.starts_with('/') && before <= entry.path);
      before = entry.path;
    });
  }
  return 0;
}
