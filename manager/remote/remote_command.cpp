// SPDX-License-Identifier: Apache-2.0
#include "manager/remote/remote_command.h"

#include <algorithm>
#include <iterator>

#include "base/overloaded.h"
#include "base/text.h"
#include "manager/exit_status.h"

namespace agentctl::manager {
namespace {

constexpr std::string_view kVerbsOfHere[] = {"completion", "launch", "serve"};

// $1: status and $2: message where there is no agentctl, $3: the words, quoted. No quote, backslash or '!' in it.
constexpr std::string_view kScript =
    R"sh(command -v agentctl >/dev/null 2>&1 || { printf %b "$2" >&2; exit "$1"; }; )sh"
    R"sh(eval "set -- $(printf %b "$3")"; exec agentctl "$@")sh";

// For printf's %b: whatever is neither a letter nor a digit as an octal escape.
std::string escape(std::string_view text) {
  constexpr std::string_view kPlain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  std::string out;
  for (const char character : text) {
    if (kPlain.find(character) != std::string_view::npos) {
      out += character;
      continue;
    }
    const auto byte = static_cast<unsigned char>(character);
    out += "\\0";
    for (const int shift : {6, 3, 0}) out += static_cast<char>('0' + ((byte >> shift) & 7));
  }
  return out;
}

// For the eval of sh: between single quotes, byte by byte.
std::string quote(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) {
    out += out.empty() ? "'" : " '";
    for_each_part(word, '\'', [&, is_first = true](std::string_view part) mutable {
      out += cat(is_first ? "" : "'\\''", part);
      is_first = false;
    });
    out += "'";
  }
  return out;
}

std::string not_found_message(std::string_view host) {
  return cat(
      "agentctl: agentctl not found on '", printable(host),
      "'\nhint: install it there ('make install'), in a directory of the PATH that ssh gives a command: see 'ssh ",
      printable(host), " env'\n");
}

bool is_blank_or_control(char character) {
  const auto byte = static_cast<unsigned char>(character);
  return byte <= 0x20 || byte == 0x7f;
}

}  // namespace

Result<void> check_remote_host(std::string_view host) {
  const auto refuse = [&](std::string_view why) {
    return make_error(ErrorKind::usage, cat("--host ", why, "; got '", printable(host), "'"),
                      "as ssh takes it: 'host' or 'user@host'");
  };
  if (host.empty()) return make_error(ErrorKind::usage, "--host must not be empty", "as in 'agentctl -H host status'");
  const std::size_t at = host.rfind('@');
  const std::string_view name = at == std::string_view::npos ? host : host.substr(at + 1);
  if (host.starts_with('-') || name.starts_with('-')) return refuse("must not begin with '-'");
  if (name.empty() || at == 0) return refuse("must have a name before and after '@'");
  for (const char character : host) {
    if (is_blank_or_control(character)) return refuse("must have no blanks and no control characters");
  }
  return {};
}

Result<void> check_remote_verb(std::string_view verb) {
  if (std::find(std::begin(kVerbsOfHere), std::end(kVerbsOfHere), verb) == std::end(kVerbsOfHere)) return {};
  return make_error(ErrorKind::usage, cat("--host must not stand before '", verb, "', which is about this machine"));
}

bool wants_terminal(const Command& command) {
  return std::visit(Overloaded{
                        [](const StartOptions& start) { return !start.detach && !start.dry_run; },
                        [](const AttachOptions&) { return true; },
                        [](const ExecOptions&) { return true; },
                        [](const TrustOptions& trust) { return !trust.list && !trust.remove; },  // it asks
                        [](const StatusOptions& status) { return status.watch; },
                        [](const LogsOptions& logs) { return logs.follow && !logs.raw; },  // Ctrl-C ends it there
                        [](const auto&) { return false; },
                    },
                    command);
}

std::vector<std::string> ssh_words(const RemoteOptions& remote, bool is_on_terminal) {
  const int status = remote.starts ? kExitStartFailed : kExitRuntime;
  const std::string line = cat("exec sh -c '", kScript, "' agentctl ", status, " '",
                               escape(not_found_message(remote.host)), "' '", escape(quote(remote.words)), "'");
  // -T also where ssh_config(5) asks for a terminal: one would change the bytes of what is printed.
  return {"ssh", is_on_terminal ? "-t" : "-T", "--", remote.host, line};
}

}  // namespace agentctl::manager
