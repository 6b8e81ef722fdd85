// SPDX-License-Identifier: Apache-2.0
// Verbs: the tree of verbs and options that the command line is read with, and for each verb what makes a Command of
// it. Pure. This directory is the only one that sees CLI11, which throws: parse_command_line() catches.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/result.h"
#include "manager/cli.h"

namespace agentctl::manager::command_line {

using Words = std::vector<std::string>;

struct Verb {
  // After the options have been read; what cannot be meant together is told here, not dropped.
  std::function<Result<Command>(const CLI::App& used)> finish;
  // Takes the COMMAND, whose options are its own, out of the words after the verb. None: all words are ours.
  std::function<void(const CLI::App& verb, Words& words)> take_command = {};
};

// For a verb whose options can all stand together.
template <typename Options>
Verb plain(std::shared_ptr<Options> options) {
  return {[options](const CLI::App&) -> Result<Command> { return Command(*options); }};
}

class Verbs {
 public:
  // `start_alone`: nothing but `start`, whose cost is a part of each start.
  explicit Verbs(bool start_alone = false);

  // The new verb, for its options. `usage` is its usage line, which CLI11 of Debian 12 would make without COMMAND.
  CLI::App* add(const char* name, const char* usage, const char* help, Verb verb);

  [[nodiscard]] CLI::App& app() { return app_; }
  [[nodiscard]] const Verb& find(const std::string& name) const { return verbs_.at(name); }

 private:
  CLI::App app_;
  std::map<std::string, Verb> verbs_;
};

CLI::App* add_subcommand(CLI::App& app, const char* name, const char* usage, const char* help);

// Each adds the verbs of its file, in the order in which the help shows them.
void add_start(Verbs& verbs);
void add_session_commands(Verbs& verbs);  // what is done to a session that runs
void add_publish_commands(Verbs& verbs);
void add_allow_commands(Verbs& verbs);
void add_query_commands(Verbs& verbs);  // what is asked of sessions
void add_probe(Verbs& verbs);
void add_policy_commands(Verbs& verbs);
void add_shell_commands(Verbs& verbs);
void add_launch(Verbs& verbs);
void add_serve(Verbs& verbs);

}  // namespace agentctl::manager::command_line
