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

// Those of `these` that are not among `others`, each once.
std::vector<std::string> left_out(const std::vector<std::string>& these, const std::vector<std::string>& others) {
  std::vector<std::string> left;
  for (const std::string& word : these) {
    const auto is_in = [&word](const std::vector<std::string>& list) {
      return std::find(list.begin(), list.end(), word) != list.end();
    };
    if (!is_in(others) && !is_in(left)) left.push_back(word);
  }
  return left;
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
  for (const std::string& word : left_out(starter, own)) others.push_back(word.substr(0, word.find(':')));
  if (others.empty() && starter.size() == own.size()) return {};
  return make_error(ErrorKind::environment,
                    cat("cannot detach: the service manager sees another machine than you do: ",
                        printable(join(others, ", ")), " differ"),
                    "run agentctl outside of the container, or start without --detach");
}

Result<std::vector<std::string>> read_groups() {
  const int count = ::getgroups(0, nullptr);
  std::vector<gid_t> ids(count > 0 ? static_cast<std::size_t>(count) : 0);
  if (count < 0 || ::getgroups(count, ids.data()) < 0) return errno_error("cannot read the groups of this process");
  std::vector<std::string> words = {cat(::getegid())};
  for (const gid_t id : ids) words.push_back(cat(id));
  return words;
}

Result<std::vector<std::string>> compare_groups(const std::vector<std::string>& starter,
                                                const std::vector<std::string>& own) {
  const std::vector<std::string> more = left_out(own, starter);
  if (more.empty()) return left_out(starter, own);
  return make_error(
      ErrorKind::environment,
      cat("cannot detach: the service manager is in groups that you are not in: ", printable(join(more, ", "))),
      "start without --detach");
}

}  // namespace agentctl::manager
