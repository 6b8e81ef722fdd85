// SPDX-License-Identifier: Apache-2.0
#include "manager/service/autostart.h"

#include <cstdint>
#include <cstdlib>
#include <optional>

#include "base/log.h"
#include "base/text.h"
#include "manager/exit_status.h"
#include "manager/service/autostart_marker.h"
#include "manager/service/start_environment.h"
#include "manager/state_dirs.h"
#include "policy/autostart.h"
#include "units/user_manager.h"

namespace agentctl::manager::service {
namespace {

// A project on a disk that has to wake up, beside everything else that a login starts.
constexpr std::uint64_t kDeadlineUsec = 300'000'000;

std::string home() {
  const char* home = ::getenv("HOME");
  return home == nullptr ? "" : home;
}

std::string without_prefix(std::string_view errors) {
  constexpr std::string_view kPrefix = "agentctl: ";
  const std::string_view text = trim(errors);
  return std::string(text.starts_with(kPrefix) ? text.substr(kPrefix.size()) : text);
}

}  // namespace

void Autostart::begin() {
  const auto config_dir = config_dir_path();
  if (!config_dir) return tell_failure("[[autostart]]", config_dir.error().message);
  const std::string file = cat(*config_dir, "/policy.toml");
  const auto entries = policy::load_autostart(file);
  if (!entries) return tell_failure(file, entries.error().message);
  const auto manager = units::identify_user_manager();
  const auto is_done = manager ? is_autostart_done(*manager) : Result<bool>(manager.error());
  if (!is_done && !entries->empty()) return tell_failure("[[autostart]]", is_done.error().message);
  if (!is_done || *is_done) return;
  manager_ = *manager;
  std::vector<Record> sessions;
  for (KnownSession& session : parts_.sessions.listing().sessions) sessions.push_back(std::move(session.record));
  std::vector<AutostartCommand> commands;
  for (const policy::Autostart& entry : *entries) {
    auto command = autostart_command(entry, home());
    if (!command) {
      tell_failure(entry.project, command.error().message);
    } else if (!is_running(entry, *command, sessions)) {
      commands.push_back(std::move(*command));
    }
  }
  under_way_ = commands.size();
  if (commands.empty()) return note_done();
  environment_.ask([this, commands](const std::optional<std::vector<std::string>>& managers) {
    const Verbs::Place place{.environment = start_environment(managers, own_environment())};
    for (const AutostartCommand& command : commands) start(place, command);
  });
}

void Autostart::start(const Verbs::Place& place, const AutostartCommand& command) {
  parts_.verbs.run_in(place, command.words, kDeadlineUsec, [this, command](const VerbOutcome& outcome) {
    if (--under_way_ == 0) note_done();
    if (outcome.timed_out) return tell_failure(command.entry, "it did not run after five minutes");
    if (outcome.status == kExitSuccess)
      return log::info(cat("autostart: started '", printable(trim(outcome.output)), "'"));
    const std::string why = without_prefix(outcome.errors);
    tell_failure(command.entry, why.empty() ? cat("agentctl ended with status ", outcome.status) : why);
  });
}

void Autostart::note_done() {
  if (const auto noted = note_autostart_done(manager_); !noted) tell_failure("[[autostart]]", noted.error().message);
}

void Autostart::tell_failure(const std::string& what, const std::string& why) {
  for_each_part(why, '\n', [&](std::string_view line) {
    log::warn(cat("autostart of ", printable(what), ": ", printable(line)));
  });
  failed_(what, why);
}

}  // namespace agentctl::manager::service
