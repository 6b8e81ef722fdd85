// SPDX-License-Identifier: Apache-2.0
#include "policy/trust_list.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/text.h"
#include "policy/toml_fault.h"

namespace agentctl::policy {
namespace {

constexpr std::string_view kTable = "[trusted]";
constexpr std::size_t kDigits = 64;

bool is_digest(std::string_view text) {
  return text.size() == kDigits &&
         std::all_of(text.begin(), text.end(), [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

std::optional<char> character_of(std::string_view four_digits) {
  unsigned value = 0;
  for (const char c : four_digits) {
    const bool is_digit = c >= '0' && c <= '9';
    if (!is_digit && (c < 'a' || c > 'f')) return std::nullopt;
    value = value * 16 + static_cast<unsigned>(is_digit ? c - '0' : c - 'a' + 10);
  }
  if (four_digits.size() != 4 || value == 0 || value > 0x7f) return std::nullopt;
  return static_cast<char>(value);
}

// A basic string at the beginning of `line`, which goes on after it. Of the escapes those that json_quote() writes for
// ASCII; what is beyond stands as it is.
std::optional<std::string> take_string(std::string_view& line) {
  if (!line.starts_with('"')) return std::nullopt;
  std::string out;
  for (std::size_t at = 1; at < line.size(); ++at) {
    if (line[at] == '"') {
      line = trim(line.substr(at + 1));
      return out;
    }
    if (line[at] != '\\') {
      out += line[at];
      continue;
    }
    if (++at >= line.size()) return std::nullopt;
    if (line[at] == '"' || line[at] == '\\') {
      out += line[at];
      continue;
    }
    const auto character = line[at] == 'u' ? character_of(line.substr(at + 1, 4)) : std::nullopt;
    if (!character) return std::nullopt;
    out += *character;
    at += 4;
  }
  return std::nullopt;
}

std::optional<TrustedProject> parse_line(std::string_view line) {
  auto directory = take_string(line);
  if (!directory || !directory->starts_with('/') || !line.starts_with('=')) return std::nullopt;
  line = trim(line.substr(1));
  auto digest = take_string(line);
  if (!digest || !is_digest(*digest) || !line.empty()) return std::nullopt;
  return TrustedProject{std::move(*directory), std::move(*digest)};
}

}  // namespace

Result<TrustList> parse_trust_list(std::string_view text, std::string_view source) {
  TrustList list;
  bool in_table = false;
  int number = 0;
  for (const std::string& raw : split_lines(text)) {
    ++number;
    const std::string_view line = trim(raw);
    if (line.empty() || line.starts_with('#')) continue;
    const bool opens = !in_table && line == kTable;
    auto project = in_table ? parse_line(line) : std::nullopt;
    if (!opens && (!project || find_trusted(list, project->directory) != nullptr)) {
      return make_error(ErrorKind::policy, cat(printable(source), ":", number, ": not a line of a list of trust"),
                        "remove that line, then run 'agentctl trust' for the project again");
    }
    in_table = true;
    if (project) list.push_back(std::move(*project));
  }
  return list;
}

std::string render_trust_list(const TrustList& list) {
  std::string text =
      "# Projects whose .agentctl.toml may widen the sandbox as long as its SHA-256 is this. Written by 'agentctl "
      "trust'.\n";
  text += cat(kTable, "\n");
  for (const TrustedProject& project : list) {
    text += cat(json_quote(project.directory), " = \"", project.sha256, "\"\n");
  }
  return text;
}

const TrustedProject* find_trusted(const TrustList& list, std::string_view directory) {
  const auto found = std::find_if(list.begin(), list.end(),
                                  [&](const TrustedProject& project) { return project.directory == directory; });
  return found == list.end() ? nullptr : &*found;
}

Result<void> add_trusted(TrustList& list, TrustedProject project) {
  const auto read_again = parse_trust_list(render_trust_list({project}), "");
  if (!read_again || read_again->size() != 1 || read_again->front().directory != project.directory) {
    return make_error(ErrorKind::policy,
                      cat("cannot trust '", printable(project.directory), "': its name cannot be kept in a list"),
                      "rename the directory, or put its rules into your own policy");
  }
  (void)remove_trusted(list, project.directory);
  list.push_back(std::move(project));
  return {};
}

bool remove_trusted(TrustList& list, std::string_view directory) {
  return std::erase_if(list, [&](const TrustedProject& project) { return project.directory == directory; }) > 0;
}

}  // namespace agentctl::policy
