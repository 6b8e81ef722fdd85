// SPDX-License-Identifier: Apache-2.0
// Where GnuPG puts the sockets of its agent: common/homedir.c of GnuPG 2.1.17 and later. Pure; gpgconf is not asked,
// since it would be run with the user's configuration.
#pragma once

#include <sys/types.h>

#include <string>

namespace agentctl::bwrap {

// "/run/user/1000/gnupg", or for a home other than ~/.gnupg "/run/user/1000/gnupg/d.<24 letters>", made from the SHA-1
// of its name. GnuPG takes it when it is there, else the home itself.
[[nodiscard]] std::string gpg_socket_directory(uid_t uid, const std::string& gpg_home, const std::string& default_home);

}  // namespace agentctl::bwrap
