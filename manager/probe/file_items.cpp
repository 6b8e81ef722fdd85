// SPDX-License-Identifier: Apache-2.0
#include "manager/probe/item.h"

namespace agentctl::probe {
namespace {

constexpr std::string_view kHome = "an empty tmpfs as home, and what is needed in it by name";
constexpr std::string_view kReadOnly = "bind what is shown read-only, and show little";
constexpr std::string_view kMask = "an empty read-only file in its place";
constexpr std::string_view kGit = "bind .git/hooks and .git/config read-only, each directory above over itself";
constexpr std::string_view kPins = "mount each directory above what is protected over itself";

}  // namespace

const std::vector<Item>& file_items() {
  static const std::vector<Item> items = {
      {"outside-write", "E1", "change a file outside of the project", "whatever the user has", "", kReadOnly,
       Witness::effect, Opening::paths},
      {"outside-make", "E1", "make a file outside of the project", "what the user runs or reads later", "", kReadOnly,
       Witness::effect, Opening::paths},
      {"home-make", "E1", "make a file in the user's home", "shells, desktops and tools run what stands there", "",
       kHome, Witness::effect, Opening::paths},
      {"system-write", "E1", "write to directories of the system", "programs of every user", "", kReadOnly},
      {"root-write", "E21", "write to the sandbox's own / and /dev", "a tmpfs without a size: memory without end", "",
       "--size before each --tmpfs, and --remount-ro / as the last option"},
      {"home-secret", "E2", "read a secret in the user's home", "keys, tokens, other projects", "", kHome,
       Witness::secret, Opening::paths},
      {"outside-read", "E2", "read a file outside of the project", "other projects, backups", "", kReadOnly,
       Witness::secret, Opening::paths},
      {"outside-alias", "E2", "read it under another name", "/proc/self/root and .. lead past lists of names", "",
       kReadOnly, Witness::secret, Opening::paths},
      {"logins", "E2", "open known places of logins", "ssh, clouds, registries", "", kHome, Witness::report,
       Opening::paths},
      {"private-data", "E2", "open browsers, mail and histories", "cookies, passwords, what the user does", "", kHome,
       Witness::report, Opening::paths},
      {"system-secrets", "E2", "open secrets of the system", "hashes, host keys, logs", "", kReadOnly, Witness::report,
       Opening::paths},
      {"other-homes", "E3", "see homes of others", "who else is there", "", kReadOnly, Witness::report, Opening::paths},
      {"git-rename", "E6", "rename .git away from its guards", "a new .git with hooks of the agent's", "", kPins,
       Witness::report},
      {"git-exchange", "E6", "exchange .git for another directory", "a .git with hooks of the agent's", "", kPins,
       Witness::report},
      {"hook-write", "E7", "change a git hook that is there", "the host's git runs it", "", kGit, Witness::effect},
      {"hook-make", "E7", "make a git hook", "the host's git runs it", "", kGit, Witness::effect},
      {"git-config", "E7", "change git's configuration", "git runs programs that it names", "", kGit, Witness::effect},
      {"git-config-replace", "E7", "replace git's configuration", "as changing it", "", kGit, Witness::effect},
      {"git-attributes", "E7", "change git's attributes", "they choose filters, which are programs", "", kGit,
       Witness::effect},
      {"git-commondir", "E7", "point git to another repository", "git obeys the configuration that lies there", "",
       "keep the name free: see SECURITY.md", Witness::effect},
      {"git-case", "E14", "change git's configuration by .GIT", "the same file where case is folded", "CVE-2025-59944",
       kGit, Witness::effect},
      {"hidden-file", "E2", "read a hidden file of the project", "the project's secrets", "", kMask, Witness::secret,
       Opening::paths},
      {"hidden-key", "E2", "read a hidden key deeper in the project", "the project's secrets", "", kMask,
       Witness::secret, Opening::paths},
      {"replaced-file", "E10", "read a hidden file that the host replaces",
       "a rename over a mask removes it: every editor does so", "", "watch the names, and put masks back",
       Witness::secret, Opening::paths},
      {"deleted-file", "E9", "read a hidden file that the host makes anew",
       "a mask goes with the file that it covers, in every mount namespace", "", "watch the names, and put masks back",
       Witness::secret, Opening::paths},
      {"hard-link", "E11", "give a file outside a name in the project", "writes there by that name", "",
       "bind the project by itself, so that it is another mount", Witness::effect},
      {"link-out", "E12", "read through a link that leaves the project", "a repository brings such links", "",
       kReadOnly, Witness::secret, Opening::paths},
      {"propagation", "E13", "take part in the host's later mounts", "they are writable under a read-only bind", "",
       "make every mount private from outside before the agent runs"},
      {"cache-make", "E17", "make a file in the user's caches", "the user's tools run what lies there", "",
       "caches of the sandbox's own", Witness::effect, Opening::paths},
      {"path-make", "E18", "make a file in a directory of PATH", "the user's shell runs it by its name", "", kReadOnly,
       Witness::effect, Opening::paths},
      {"tmp-secret", "E19", "read files of others in /tmp", "predictable names", "CVE-2026-46406", "--tmpfs /tmp",
       Witness::secret, Opening::paths},
      {"state-make", "E20", "write agentctl's own state", "receipts, logs, homes of other sessions", "",
       "keep it out of what is bound", Witness::effect, Opening::paths},
      {"config-make", "E20", "write agentctl's own policy", "the next session has fewer walls", "",
       "keep it out of what is bound", Witness::effect, Opening::paths},
  };
  return items;
}

const std::vector<Item>& launch_items() {
  constexpr std::string_view kList = "make the environment from a list of names, execute bwrap with that";
  static const std::vector<Item> items = {
      {"variable", "H6", "read a secret of the caller's environment", "tokens stand there", "", kList, Witness::secret},
      {"variable-like-locale", "H6", "read one that is named like a locale", "LC_* is passed by most", "", kList,
       Witness::secret},
      {"variable-code", "H6", "take code from the caller's environment", "BASH_ENV, NODE_PATH and their like run it",
       "CVE-2026-22708", kList},
      {"program-write", "H8", "change the agent's own program", "the next session runs what this one wrote", "",
       "show it read-only"},
  };
  return items;
}

}  // namespace agentctl::probe
