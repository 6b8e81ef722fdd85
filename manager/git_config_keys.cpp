// SPDX-License-Identifier: Apache-2.0
#include "manager/git_config_keys.h"

#include <fnmatch.h>

#include <algorithm>
#include <cctype>

#include "base/text.h"

namespace agentctl::manager {
namespace {

// Lower case; "*" stands for a subsection or a name.
constexpr const char* kRunningKeys[] = {"core.fsmonitor",
                                        "core.hookspath",
                                        "core.sshcommand",
                                        "core.gitproxy",
                                        "core.editor",
                                        "core.pager",
                                        "core.askpass",
                                        "core.worktree",
                                        "core.attributesfile",
                                        "core.excludesfile",
                                        "core.alternaterefs*",
                                        "diff.external",
                                        "diff.*.command",
                                        "diff.*.textconv",
                                        "difftool.*",
                                        "mergetool.*",
                                        "merge.*.driver",
                                        "merge.tool",
                                        "diff.tool",
                                        "filter.*",
                                        "gpg.program",
                                        "gpg.*.program",
                                        "gpg.ssh.*",
                                        "credential.helper",
                                        "credential.*.helper",
                                        "alias.*",
                                        "include.path",
                                        "includeif.*.path",
                                        "remote.*.uploadpack",
                                        "remote.*.receivepack",
                                        "remote.*.vcs",
                                        "remote.*.proxy",
                                        "http.proxy",
                                        "http.*.proxy",
                                        "http.sslverify",
                                        "url.*.insteadof",
                                        "url.*.pushinsteadof",
                                        "protocol.*",
                                        "uploadpack.packobjectshook",
                                        "sequence.editor",
                                        "interactive.difffilter",
                                        "submodule.*.update",
                                        "pager.*",
                                        "browser.*",
                                        "man.*",
                                        "instaweb.*",
                                        "init.templatedir",
                                        "commit.template",
                                        "trailer.*.command",
                                        "trailer.*.cmd",
                                        "tar.*.command",
                                        "imap.tunnel",
                                        "sendemail.*",
                                        "hook.*",
                                        "extensions.worktreeconfig",
                                        "web.browser",
                                        "guitool.*",
                                        "maintenance.*",
                                        "core.commentchar"};

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return std::tolower(c); });
  return out;
}

bool is_running(const std::string& key) {
  const std::string folded = lower(key);
  return std::any_of(std::begin(kRunningKeys), std::end(kRunningKeys),
                     [&](const char* pattern) { return ::fnmatch(pattern, folded.c_str(), 0) == 0; });
}

// `[section]`, `[section "sub"]` or the old `[section.sub]`; gives how many characters it took, 0: no header.
std::size_t read_header(std::string_view line, std::string& section) {
  std::size_t at = 1;
  std::string name;
  while (at < line.size() && (std::isalnum(static_cast<unsigned char>(line[at])) || line[at] == '-' || line[at] == '.'))
    name += line[at++];
  while (at < line.size() && (line[at] == ' ' || line[at] == '\t')) ++at;
  section = lower(name);
  if (at < line.size() && line[at] == '"') {
    section += '.';
    for (++at; at < line.size() && line[at] != '"'; ++at) {
      if (line[at] == '\\' && at + 1 < line.size()) ++at;
      section += line[at];
    }
    ++at;
  }
  return at < line.size() && line[at] == ']' && !name.empty() ? at + 1 : 0;
}

// Quotes and escapes taken away, comments cut.
std::string read_value(std::string_view text) {
  std::string value;
  bool quoted = false;
  std::size_t solid = 0;  // trailing blanks outside of quotes do not count
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char character = text[at];
    if (!quoted && (character == '#' || character == ';')) break;
    if (character == '"') {
      quoted = !quoted;
    } else if (character == '\\' && at + 1 < text.size()) {
      value += text[++at];
    } else {
      value += character;
    }
    if (quoted || !std::isspace(static_cast<unsigned char>(character))) solid = value.size();
  }
  value.resize(solid);
  return value;
}

// Lines that end in a backslash go on in the next one.
std::vector<std::string> logical_lines(std::string_view text) {
  std::vector<std::string> lines;
  bool goes_on = false;
  for (std::string& line : split(text, '\n')) {
    if (line.ends_with('\r')) line.pop_back();
    const std::size_t slashes = line.size() - (line.find_last_not_of('\\') + 1);
    const bool more = slashes % 2 == 1;
    if (more) line.pop_back();
    if (goes_on) {
      lines.back() += line;
    } else {
      lines.push_back(std::move(line));
    }
    goes_on = more;
  }
  return lines;
}

}  // namespace

GitConfigKeys read_git_config_keys(std::string_view text) {
  GitConfigKeys keys;
  std::string section;
  for (const std::string& whole : logical_lines(text)) {
    std::string_view line = trim(whole);
    if (line.starts_with('[')) {
      const std::size_t taken = read_header(line, section);
      if (taken == 0) keys.damaged = true;
      line = trim(line.substr(std::max<std::size_t>(taken, 1)));
    }
    if (line.empty() || line[0] == '#' || line[0] == ';') continue;
    const std::size_t equals = line.find('=');
    const std::string name = lower(trim(line.substr(0, equals)));
    const bool named =
        !name.empty() && name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string::npos;
    if (!named || section.empty()) {
      keys.damaged = true;
      continue;
    }
    const std::string key = cat(section, ".", name);
    if (key == "core.hookspath" && equals != std::string_view::npos)
      keys.hooks_path = read_value(trim(line.substr(equals + 1)));
    if (is_running(key) && std::find(keys.running.begin(), keys.running.end(), key) == keys.running.end())
      keys.running.push_back(key);
  }
  return keys;
}

}  // namespace agentctl::manager
