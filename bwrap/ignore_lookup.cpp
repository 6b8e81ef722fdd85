// SPDX-License-Identifier: Apache-2.0
#include "bwrap/ignore_lookup.h"

#include <cerrno>
#include <utility>

#include "base/clock.h"
#include "base/text.h"
#include "bwrap/path_resolution.h"
#include "bwrap/safe_path.h"

namespace agentctl::bwrap {
namespace {

constexpr std::size_t kMostIgnoreBytes = 1U << 16;

IgnoreFile read_ignore_file(int directory, const std::string& name) {
  const auto text = read_regular_file_beneath(directory, name, kMostIgnoreBytes);
  if (text) return IgnoreFile(*text);
  const int why = text.error().sys_errno;
  const bool is_nothing = why == ENOENT || why == ENOTDIR || why == ELOOP;  // git does not follow a link either
  return is_nothing ? IgnoreFile({}) : IgnoreFile::unknown();
}

IgnoreFile read_exclude(const std::string& common) {
  const auto held = hold_directory(HostPath(common));
  return held ? read_ignore_file(held->get(), "info/exclude") : IgnoreFile::unknown();
}

}  // namespace

IgnoreLookup::IgnoreLookup(const std::string& top, const std::string& common, std::uint64_t deadline_usec)
    : deadline_usec_(deadline_usec), exclude_(read_exclude(common)) {
  if (auto held = hold_directory(HostPath(top))) top_ = std::move(*held);
}

IgnoreVerdict IgnoreLookup::look(const std::string& below) {
  for (std::size_t slash = below.find('/'); slash != std::string::npos; slash = below.find('/', slash + 1)) {
    // What lies in a directory that is ignored cannot be taken out again.
    if (look_at(below.substr(0, slash), true) == IgnoreVerdict::ignored) return IgnoreVerdict::ignored;
  }
  return look_at(below, false);
}

IgnoreVerdict IgnoreLookup::look_at(const std::string& below, bool is_directory) {
  if (monotonic_usec() > deadline_usec_) return IgnoreVerdict::included;
  for (std::size_t slash = below.rfind('/');; slash = slash == 0 ? std::string::npos : below.rfind('/', slash - 1)) {
    const bool is_top = slash == std::string::npos;
    const std::string path = is_top ? below : below.substr(slash + 1);
    const IgnoreVerdict verdict = file_of(is_top ? "" : below.substr(0, slash)).verdict(path, is_directory);
    if (verdict != IgnoreVerdict::unsaid) return verdict;
    if (is_top) return exclude_.verdict(below, is_directory);
  }
}

const IgnoreFile& IgnoreLookup::file_of(const std::string& directory) {
  const auto known = files_.find(directory);
  if (known != files_.end()) return known->second;
  const std::string name = directory.empty() ? ".gitignore" : cat(directory, "/.gitignore");
  IgnoreFile file = top_.valid() ? read_ignore_file(top_.get(), name) : IgnoreFile::unknown();
  return files_.emplace(directory, std::move(file)).first->second;
}

}  // namespace agentctl::bwrap
