// SPDX-License-Identifier: Apache-2.0
#include "bwrap/environment_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>

#include "base/text.h"
#include "base/unique_fd.h"
#include "bwrap/path_resolution.h"
#include "policy/env_name.h"

namespace agentctl::bwrap {
namespace {

enum class Value { certificates, path, list };  // list: paths between colons
struct FileVariable {
  std::string_view name;
  Value value;
};
constexpr FileVariable kVariables[] = {
    {"SSL_CERT_FILE", Value::certificates},
    {"NODE_EXTRA_CA_CERTS", Value::certificates},
    {"REQUESTS_CA_BUNDLE", Value::certificates},
    {"CURL_CA_BUNDLE", Value::certificates},
    {"GIT_SSL_CAINFO", Value::certificates},
    {"NIX_SSL_CERT_FILE", Value::certificates},
    {"AWS_CA_BUNDLE", Value::certificates},
    {"PIP_CERT", Value::certificates},
    {"CARGO_HTTP_CAINFO", Value::certificates},
    {"SSL_CERT_DIR", Value::list},
    {"TERMINFO", Value::path},
    {"TERMINFO_DIRS", Value::list},
    {"LOCALE_ARCHIVE", Value::path},
    {"LOCPATH", Value::list},
};

constexpr std::size_t kLargestBundle = 4U << 20;

const FileVariable* find_variable(std::string_view name) {
  const auto found = std::find_if(std::begin(kVariables), std::end(kVariables),
                                  [&](const FileVariable& variable) { return variable.name == name; });
  return found == std::end(kVariables) ? nullptr : found;
}

// The content of a regular file; nothing for what cannot be read or is too large to be a bundle of certificates.
std::optional<std::string> read_bundle(const std::string& path) {
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  struct stat status {};
  if (!file.valid() || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  if (status.st_size <= 0 || static_cast<std::size_t>(status.st_size) > kLargestBundle) return std::nullopt;
  std::string text(static_cast<std::size_t>(status.st_size), '\0');
  if (::read(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) return std::nullopt;
  return text;
}

}  // namespace

std::vector<std::string> environment_paths(const std::map<std::string, std::string>& environment) {
  std::vector<std::string> paths;
  for (const FileVariable& variable : kVariables) {
    const auto entry = environment.find(std::string(variable.name));
    if (entry == environment.end()) continue;
    const auto parts = variable.value == Value::list ? split(entry->second, ':') : std::vector{entry->second};
    for (const std::string& part : parts) {
      if (part.starts_with('/')) paths.push_back(part);
    }
  }
  return paths;
}

std::optional<std::string> keep_shown_paths(const std::string& name, const std::string& value,
                                            const ShownPaths& is_shown) {
  const FileVariable* variable = find_variable(name);
  if (variable == nullptr) return value;
  if (variable->value != Value::list) {
    return !value.starts_with('/') || is_shown(value) ? std::optional(value) : std::nullopt;
  }
  std::vector<std::string> kept;
  for (const std::string& part : split(value, ':')) {
    // An empty one stands for the system's own (terminfo(5)).
    if (!part.starts_with('/') || is_shown(part)) kept.push_back(part);
  }
  return kept.empty() ? std::nullopt : std::optional(join(kept, ":"));
}

bool holds_only_certificates(std::string_view text) {
  return (text.find("-----BEGIN CERTIFICATE-----") != std::string_view::npos ||
          text.find("-----BEGIN TRUSTED CERTIFICATE-----") != std::string_view::npos) &&
         text.find("PRIVATE KEY") == std::string_view::npos;
}

bool is_certificate_file(const std::string& path) {
  const auto text = read_bundle(path);
  return text && holds_only_certificates(*text);
}

std::set<std::string> find_certificate_files(const std::map<std::string, std::string>& environment,
                                             PathResolver& resolver) {
  std::set<std::string> files;
  std::set<std::string> looked_at;  // mostly all of them name one bundle, of some 200 KiB
  for (const FileVariable& variable : kVariables) {
    const auto entry = environment.find(std::string(variable.name));
    if (variable.value != Value::certificates || entry == environment.end()) continue;
    if (!looked_at.insert(entry->second).second) continue;
    if (!entry->second.starts_with('/') || resolver.resolve(entry->second).kind != PathKind::file) continue;
    if (is_certificate_file(entry->second)) files.insert(entry->second);
  }
  return files;
}

void add_certificates(const policy::EnvSettings& env, const HostFacts& facts, Layout& layout) {
  for (const FileVariable& variable : kVariables) {
    const auto entry = facts.environment.find(std::string(variable.name));
    if (entry == facts.environment.end() || !facts.certificate_files.contains(entry->second)) continue;
    const bool is_passed = std::any_of(env.pass.begin(), env.pass.end(), [&](const policy::Entry& passed) {
      return policy::matches_env_name(passed.text, variable.name);
    });
    const auto fact = facts.paths.find(entry->second);
    if (!is_passed || fact == facts.paths.end() || fact->second.kind != PathKind::file) continue;
    const std::string origin = cat("the variable ", variable.name);
    if (starts_with_path(fact->second.canonical.str(), facts.project.canonical.str())) continue;
    layout.want_links(fact->second, origin);
    layout.want(bind_want(fact->second, Access::read_only, Rank::built_in, origin));
  }
}

}  // namespace agentctl::bwrap
