// SPDX-License-Identifier: Apache-2.0
// The command line as plain data; no actions here. Options after COMMAND belong to COMMAND. How it is read, and the
// texts of the help: command_line/.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"
#include "policy/host_rule.h"
#include "policy/publication.h"
#include "units/manager_connection.h"

namespace agentctl::manager {

struct StartOptions {
  std::vector<std::string> command;
  std::string profile;
  std::string name;
  std::string project;  // "": the current directory
  std::optional<pid_t> parent_pid;
  bool quiet = false;
  bool dry_run = false;
  bool json = false;
  bool no_limits = false;
  bool detach = false;
  units::ManagerKind manager = units::ManagerKind::automatic;
  std::vector<std::pair<std::string, std::string>> limits;  // key as in [limits], value as typed
  std::vector<std::string> read_only, read_write, hide, copy, protect;
  std::vector<std::string> env;              // NAME or NAME=VALUE
  std::vector<std::string> allow, deny;      // hosts
  std::optional<std::string> home, network;  // else as the policy says
  std::vector<policy::Publication> publish;
  std::vector<std::string> words;  // all of the above as typed, from "start" on
};

// What the service of a detached session runs; not for people, so no help tells of it.
inline constexpr std::string_view kSuperviseVerb = "supervise";
struct SuperviseOptions {};

// What runs in a window that the launcher has opened (launcher/window_program.h); not for people either.
inline constexpr std::string_view kWindowVerb = "in-window";
struct WindowOptions {
  std::vector<std::string> words;
};

struct StopOptions {
  std::vector<std::string> names;
  bool all = false;
  bool kill = false;
  std::uint64_t grace_usec = 0;
};

struct PauseOptions {
  std::vector<std::string> names;
};

struct ResumeOptions {
  std::vector<std::string> names;
};

struct PublishOptions {
  std::string name;
  policy::Publication publication;
};

struct UnpublishOptions {
  std::string name;
  std::uint16_t host_port = 0;
};

struct AllowOptions {
  std::string name;
  policy::HostRule rule;
};

struct DenyOptions {
  std::string name;
  policy::HostRule rule;
};

struct ExecOptions {
  std::string name;
  std::vector<std::string> command;
};

struct SetOptions {
  std::string name;
  std::vector<std::string> limits;  // "memory-max=12G"
  bool force = false;
};

struct AttachOptions {
  std::string name;
  bool read_only = false;
  bool take_over = false;
};

struct LogsOptions {
  std::string name;
  bool follow = false;
  bool raw = false;
  bool net = false;   // what the door of an allowlist decided, in place of what the terminal has shown
  bool json = false;  // with net, to a terminal too
};

struct StatusOptions {
  std::string name;
  bool json = false;
  bool all = false;    // those that have ended, too
  bool watch = false;  // until it is ended
};

struct CgroupOptions {
  std::string name;
};

struct ReceiptOptions {
  std::string name;  // "": all that are kept
  bool json = false;
};

struct ExplainOptions {
  StartOptions start;   // of the sandbox that is explained; its json is that of explain
  std::string subject;  // a path or a host; "": the whole policy
};

struct ProbeOptions {
  StartOptions start;   // of the sandbox that is made for it
  std::string session;  // a running one instead
  std::string against;  // somebody's own bwrap line instead
  bool self_test = false;
  bool list = false;
  bool json = false;
};

struct TrustOptions {
  std::string directory;
  bool list = false;
  bool remove = false;
};

struct ProfileOptions {
  enum class Action { list, show, make } action = Action::list;
  std::string name;
  std::string from;  // make: the profile that the new one is made after; "": the one of the same name, else default
};

// What the scripts of packaging/completions ask at each Tab; not for people, so no help tells of it.
inline constexpr std::string_view kCompleteVerb = "complete";
struct CompleteOptions {
  std::vector<std::string> words;  // all that follow, as they are
};

struct CompletionOptions {
  std::string shell;
};

// -H: the same command line, for the agentctl of another machine.
struct RemoteOptions {
  std::string host;
  std::vector<std::string> words;  // from the command on, which is written out
  bool wants_terminal = false;
  bool starts = false;  // the command is `start`, whose failures have a status of their own
};

struct LaunchOptions {
  std::string directory;  // "": to be asked for
  std::string profile;    // "": to be asked for
  bool browse = false;    // asked for among all directories
  bool here = false;      // on this terminal
  bool status = false;    // the sessions that run, instead of starting one
  bool stop_all = false;
};

struct ServeOptions {};

struct TextToPrint {  // --help, --version
  std::string text;
};

using Command = std::variant<StartOptions, SuperviseOptions, StopOptions, PauseOptions, ResumeOptions, PublishOptions,
                             UnpublishOptions, AllowOptions, DenyOptions, SetOptions, ExecOptions, AttachOptions,
                             LogsOptions, StatusOptions, CgroupOptions, ReceiptOptions, ExplainOptions, ProbeOptions,
                             TrustOptions, ProfileOptions, LaunchOptions, WindowOptions, ServeOptions, CompleteOptions,
                             CompletionOptions, RemoteOptions, TextToPrint>;

[[nodiscard]] Result<Command> parse_command_line(int argc, char** argv);

}  // namespace agentctl::manager
