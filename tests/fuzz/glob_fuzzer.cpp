// SPDX-License-Identifier: Apache-2.0
// A pattern in the first line, a path in the rest; the whole as one of git's ignore files.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/text.h"
#include "bwrap/ignore_file.h"
#include "policy/glob.h"
#include "tests/fuzz/require.h"

namespace {

std::string escaped(std::string_view text) {
  std::string out;
  for (const char byte : text) {
    out += '\\';
    out += byte;
  }
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace agentctl;
  using namespace agentctl::policy;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t end = text.find('\n');
  const std::string_view pattern = text.substr(0, end);
  const std::string_view path = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);

  // Going down name by name says what matching the whole path says, and never gives up too early.
  const Glob glob(cat("/", pattern));
  Glob::State state = glob.start();
  bool ended = false;
  for (const std::string& name : split(path, '/')) {
    fuzz::require(!glob.is_match(glob.step(state, name)) || glob.goes_on(state));
    state = glob.step(state, name);
    ended = ended || name.empty();
  }
  if (!ended) fuzz::require(glob.matches(path) == glob.is_match(state));

  // What git's ignore files say is never lost on what they are made of.
  (void)bwrap::IgnoreFile(text).verdict(path, size % 2 == 0);
  const bwrap::IgnoreFile line(bwrap::ignore_line(path));
  if (!ended && path.size() < 1000) fuzz::require(line.verdict(path, false) == bwrap::IgnoreVerdict::ignored);

  for (const std::string& name : split(path, '/')) {
    (void)matches_name(pattern, name);
    fuzz::require(matches_name("*", name));
    fuzz::require(matches_name(escaped(name), name));
    fuzz::require(name.empty() || !matches_name(escaped(name), name + "x"));
  }
  return 0;
}
