// SPDX-License-Identifier: Apache-2.0
// What the user's shell takes from us.
#include "manager/command_line/verbs.h"

namespace agentctl::manager::command_line {

void add_shell_commands(Verbs& verbs) {
  const auto completion = std::make_shared<CompletionOptions>();
  CLI::App* command = verbs.add("completion", "agentctl completion bash | zsh | fish",
                                "print the script that completes names and options in a shell", plain(completion));
  command->add_option("SHELL", completion->shell, "a shell: bash, zsh or fish")->required();
}

}  // namespace agentctl::manager::command_line
