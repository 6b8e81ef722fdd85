// SPDX-License-Identifier: Apache-2.0
#include "manager/probe/host_half.h"

#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/file.h"
#include "base/log.h"
#include "base/text.h"
#include "manager/probe/attempt_run.h"
#include "manager/probe/canary_files.h"
#include "manager/probe/canary_process.h"
#include "manager/probe/listener.h"
#include "manager/probe/other_terminal.h"
#include "manager/probe/planted_variables.h"
#include "manager/probe/secret.h"
#include "manager/probe/shared_objects.h"
#include "manager/state_dirs.h"

namespace agentctl::probe {
namespace {

std::string variable(const char* name) {
  const char* value = ::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

bool is_directory(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

std::string runtime_directory() {
  const std::string named = variable("XDG_RUNTIME_DIR");
  return named.empty() ? cat("/run/user/", ::getuid()) : named;
}

// The first in PATH that the user may write in the home; "": there is none.
std::string own_program_directory(const std::string& home) {
  const std::vector<std::string> directories = split(variable("PATH"), ':');
  const auto found = std::find_if(directories.begin(), directories.end(), [&](const std::string& directory) {
    return starts_with_path(directory, home) && is_directory(directory) && ::access(directory.c_str(), W_OK) == 0;
  });
  return found == directories.end() ? std::string() : *found;
}

}  // namespace

Result<HostHalf> HostHalf::plant(const Target& target, const std::string& program, const ScratchPlace& scratch) {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);  // what an attempt leaves running becomes our child, and is reaped
  HostHalf half(program, scratch.outside(), AGENTCTL_TRY(Plantings::begin(scratch.path())));
  half.mark_ = cat("agentctl-probe-", AGENTCTL_TRY(random_hex(12)));
  AGENTCTL_TRY_VOID(half.plantings_.note(PlantingKind::mark, half.mark_));
  half.add(make_key());  // the keyring is gone with this process, and so is whatever has no name
  half.add(open_other_terminal());
  half.canaries_.push_back(AGENTCTL_TRY(start_canary_process(program)));
  AGENTCTL_TRY_VOID(half.plant_shared_objects());
  AGENTCTL_TRY_VOID(half.plant_files(target, scratch));
  AGENTCTL_TRY_VOID(half.plant_sockets(target));
  for (const auto& canary : half.canaries_) canary->describe(half.planted_);
  AGENTCTL_TRY_VOID(half.plant_variables());
  Planted& planted = half.planted_;
  planted.tell("home", variable("HOME"));
  planted.tell("project", target.project);
  planted.tell("runtime", runtime_directory());
  if (target.stays) planted.tell("stays", "yes");
  planted.tell("tasks", std::to_string(target.tasks));
  planted.tell("memory", std::to_string(target.memory));
  return half;
}

void HostHalf::add(Result<std::unique_ptr<Canary>> canary) {
  if (canary)
    canaries_.push_back(std::move(*canary));
  else
    log::debug(canary.error().message);
}

Result<void> HostHalf::plant_shared_objects() {
  const key_t memory = AGENTCTL_TRY(random_key());
  const key_t queue = AGENTCTL_TRY(random_key());
  AGENTCTL_TRY_VOID(plantings_.note(PlantingKind::shared_memory, std::to_string(memory)));
  AGENTCTL_TRY_VOID(plantings_.note(PlantingKind::queue, std::to_string(queue)));
  AGENTCTL_TRY_VOID(plantings_.note(PlantingKind::file, cat("/dev/shm/", mark_)));
  AGENTCTL_TRY_VOID(plantings_.note(PlantingKind::posix_queue, cat("/", mark_)));
  add(make_sysv_memory(memory));
  add(make_sysv_queue(queue));
  add(make_posix_memory(cat("/", mark_)));
  add(make_posix_queue(cat("/", mark_)));
  return {};
}

Result<std::string> HostHalf::marked(std::string_view before, std::string_view after) {
  std::string path = cat(before, mark_, after);
  AGENTCTL_TRY_VOID(plantings_.note(PlantingKind::file, path));
  return path;
}

Result<void> HostHalf::keep_free(std::string item, const std::string& directory) {
  if (is_directory(directory))
    canaries_.push_back(watch_free_name(std::move(item), AGENTCTL_TRY(marked(directory + "/"))));
  return {};
}

Result<void> HostHalf::plant_files(const Target& target, const ScratchPlace& scratch) {
  canaries_.push_back(AGENTCTL_TRY(plant_outside(scratch.outside())));
  if (target.is_planted) {
    auto project = AGENTCTL_TRY(PlantedProject::plant(target.project, scratch.outside()));
    project_ = project.get();
    canaries_.push_back(std::move(project));
  }
  const std::string home = variable("HOME");
  if (is_directory(home)) {
    // Named like a key, which a home that is shown read-only hides, too.
    home_secret_ = AGENTCTL_TRY(marked(home + "/.", ".key"));
    add(plant_secret_file("home-secret", home_secret_));
    canaries_.push_back(watch_free_name("home-make", AGENTCTL_TRY(marked(home + "/.", ".made"))));
    AGENTCTL_TRY_VOID(keep_free("cache-make", home + "/.cache"));
    AGENTCTL_TRY_VOID(keep_free("path-make", own_program_directory(home)));
  }
  add(plant_secret_file("tmp-secret", AGENTCTL_TRY(marked("/tmp/"))));
  if (!target.state.empty()) ::mkdir(target.state.c_str(), 0700);
  AGENTCTL_TRY_VOID(keep_free("state-make", target.state));
  const auto config = manager::config_dir_path();
  return config ? keep_free("config-make", *config) : Result<void>();
}

Result<void> HostHalf::plant_sockets(const Target& target) {
  add(Listener::at_name("abstract-stream", SOCK_STREAM, mark_ + "-stream"));
  add(Listener::at_name("abstract-datagram", SOCK_DGRAM, mark_ + "-datagram"));
  add(Listener::at_name("abstract-packet", SOCK_SEQPACKET, mark_ + "-packet"));
  add(Listener::at_path("socket-stream", SOCK_STREAM, outside_ + "/stream"));
  add(Listener::at_path("socket-datagram", SOCK_DGRAM, outside_ + "/datagram"));
  add(Listener::at_path("socket-packet", SOCK_SEQPACKET, outside_ + "/packet"));
  if (is_directory(runtime_directory()))
    add(Listener::at_path("socket-runtime", SOCK_STREAM, AGENTCTL_TRY(marked(runtime_directory() + "/"))));
  if (target.is_planted) add(Listener::at_path("socket-project", SOCK_STREAM, target.project + "/served"));
  add(Listener::at_path("socket-tmp", SOCK_STREAM, AGENTCTL_TRY(marked("/tmp/", "-socket"))));
  add(Listener::at_port("loopback-tcp", AF_INET, SOCK_STREAM));
  add(Listener::at_port("loopback-tcp6", AF_INET6, SOCK_STREAM));
  add(Listener::at_port("loopback-udp", AF_INET, SOCK_DGRAM));
  return {};
}

Result<void> HostHalf::plant_variables() {
  for (const auto& [name, item] :
       {std::pair(kSecretVariable, "variable"), std::pair(kLocaleVariable, "variable-like-locale")}) {
    const std::string secret = AGENTCTL_TRY(make_secret());
    environment_.push_back(cat(name, "=", secret));
    planted_.secrets[item] = {secret};
    planted_.secrets["environments"].push_back(secret);
  }
  for (const char* name : kCodeVariables) environment_.push_back(cat(name, "=", kPlantedCode));
  return {};
}

Result<Evidence> HostHalf::run(std::string slow, std::function<int(const std::vector<std::string>&)> body) {
  AttemptRun run;
  run.body = std::move(body);
  run.tag = AGENTCTL_TRY(random_hex(16));
  AGENTCTL_TRY_VOID(plantings_.note(PlantingKind::run, cat("report=", run.tag)));
  run.directory = outside_;
  run.environment = environment_;
  run.slow = std::move(slow);
  run.on_wait = [this](std::string_view what) {
    if (what == "replace" && project_ != nullptr) (void)project_->replace_hidden_files();
    if (what == "touch") (void)read_file(home_secret_);
  };
  return run_attempts(run, planted_, canaries_);
}

namespace {

// In the words of what was to run it, and with its hint, where that is agentctl.
Error nothing_tried(const Evidence& inside) {
  std::string said = cat("it exited with ", inside.exit_status);
  std::string hint;
  for_each_part(inside.complaints, '\n', [&](std::string_view line) {
    constexpr std::string_view kName = "agentctl: ", kHint = "hint: ";
    if (line.starts_with(kHint))
      hint = printable(line.substr(kHint.size()));
    else if (!line.empty())
      said = printable(line.starts_with(kName) ? line.substr(kName.size()) : line);
  });
  return make_error(ErrorKind::system, cat("nothing could be tried inside: ", said), std::move(hint));
}

}  // namespace

Result<std::vector<Judgement>> HostHalf::try_everything(const Target& target) {
  const Evidence control = AGENTCTL_TRY(run("still trying, without a sandbox", without_sandbox(program_)));
  Evidence inside = control;
  if (target.body) {
    if (!target.state.empty())
      environment_.push_back(cat("XDG_STATE_HOME=", target.state.substr(0, target.state.rfind('/'))));
    inside = AGENTCTL_TRY(run(target.slow, target.body));
  }
  if (inside.lines.empty()) {
    return nothing_tried(inside);
  }
  std::vector<Judgement> judgements;
  for (const Item& item : all_items()) judgements.push_back(judge(item, control, inside, planted_, target.grants));
  return judgements;
}

}  // namespace agentctl::probe
