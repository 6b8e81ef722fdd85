// SPDX-License-Identifier: Apache-2.0
// A command line for the agentctl of another machine, as ssh(1) takes it: the words of our own command line reach that
// program byte by byte, whatever shell the login there has. Pure.
//
// ssh gives the remote shell one text. Here that is a fixed script for sh(1) and words of letters, digits and octal
// escapes only, between single quotes, in which POSIX shells, csh and fish change nothing. All of it is replaced by
// exec: the parent of the remote agentctl is sshd's process for this connection, whose end is the end of what was
// started.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "manager/cli.h"

namespace agentctl::manager {

// As ssh has them: [user@]host, an alias of ssh_config(5), an ssh:// address. Refused (kind usage): nothing, what ssh
// or a program that it runs would take for an option, blanks and control characters.
[[nodiscard]] Result<void> check_remote_host(std::string_view host);

// What is about this machine, its desktop and its shells is refused by its name (kind usage).
[[nodiscard]] Result<void> check_remote_verb(std::string_view verb);

// Whether the command talks to a person at a terminal, so that it needs one there when there is one here.
[[nodiscard]] bool wants_terminal(const Command& command);

// All words for ssh, its own name first. `is_on_terminal`: a terminal there, else pipes, through which bytes pass as
// they are.
[[nodiscard]] std::vector<std::string> ssh_words(const RemoteOptions& remote, bool is_on_terminal);

}  // namespace agentctl::manager
