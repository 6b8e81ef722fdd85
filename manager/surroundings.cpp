// SPDX-License-Identifier: Apache-2.0
#include "manager/surroundings.h"

#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "base/text.h"

namespace agentctl::manager {
namespace {

constexpr const char* kNamespaces[] = {"mnt", "pid", "user", "net", "ipc"};

Result<std::string> read_link(const std::string& path) {
  char target[PATH_MAX];
  const ssize_t size = ::readlink(path.c_str(), target, sizeof target);
  if (size < 0) return errno_error(cat("cannot read '", path, "'"));
  return std::string(target, static_cast<std::size_t>(size));
}

}  // namespace

Result<std::vector<std::string>> read_surroundings() {
  std::vector<std::string> words;
  for (const char* name : kNamespaces) words.push_back(AGENTCTL_TRY(read_link(cat("/proc/self/ns/", name))));
  struct stat root {};
  if (::stat("/", &root) != 0) return errno_error("cannot look at the root directory");
  words.push_back(cat("root:[", root.st_dev, ":", root.st_ino, "]"));
  return words;
}

Result<void> compare_surroundings(const std::vector<std::string>& starter, const std::vector<std::string>& own) {
  std::vector<std::string> others;
  for (const std::string& word : starter) {
    if (std::find(own.begin(), own.end(), word) == own.end()) others.push_back(word.substr(0, word.find(':')));
  }
  if (others.empty() && starter.size() == own.size()) return {};
  return make_error(ErrorKind::environment,
                    cat("cannot detach: the service manager sees another machine than you do: ",
                        printable(join(others, ", ")), " differ"),
                    "run agentctl outside of the container, or start without --detach");
}

}  // namespace agentctl::manager
