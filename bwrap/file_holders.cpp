// SPDX-License-Identifier: Apache-2.0
#include "bwrap/file_holders.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/kcmp.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <memory>
#include <optional>
#include <string_view>

#include "base/clock.h"
#include "base/file.h"
#include "base/process.h"
#include "base/text.h"

namespace agentctl::bwrap {
namespace {

constexpr std::size_t kMostMapBytes = 64U << 20;
constexpr std::string_view kInSession = "' is held open in the session, which could write it";

struct CloseDirectory {
  void operator()(DIR* directory) const { ::closedir(directory); }
};

// The names in a directory of /proc that are numbers; an Error keeps the errno.
Result<std::vector<std::string>> list_numbers(const std::string& path) {
  const std::unique_ptr<DIR, CloseDirectory> directory(::opendir(path.c_str()));
  if (!directory) return errno_error(cat("cannot read '", path, "'"));
  std::vector<std::string> names;
  while (const dirent* entry = ::readdir(directory.get())) {
    if (entry->d_name[0] >= '0' && entry->d_name[0] <= '9') names.emplace_back(entry->d_name);
  }
  return names;
}

bool is_gone(int error) { return error == ENOENT || error == ESRCH; }

// The number after `name` in a file of lines "name:\t5".
std::optional<unsigned long> find_number(std::string_view text, std::string_view name) {
  std::optional<unsigned long> found;
  for_each_part(text, '\n', [&](std::string_view line) {
    if (!line.starts_with(name) || !line.substr(name.size()).starts_with(':')) return;
    const std::string_view value = trim(line.substr(name.size() + 1));
    unsigned long number = 0;
    if (std::from_chars(value.data(), value.data() + value.size(), number).ec == std::errc{}) found = number;
  });
  return found;
}

// Whether a way through `link`, one of those in /proc that lead to an open file, is read-only.
bool leads_through_read_only(const std::string& link) {
  const UniqueFd fd(::open(link.c_str(), O_PATH | O_CLOEXEC));
  struct statvfs system {};
  return !fd.valid() ? is_gone(errno) : ::fstatvfs(fd.get(), &system) == 0 && (system.f_flag & ST_RDONLY) != 0;
}

bool starts_below(const std::string& link, const std::string& directory) {
  std::array<char, PATH_MAX> text{};
  const ssize_t length = ::readlink(link.c_str(), text.data(), text.size());
  // A name too long to be told is one that nobody has looked at.
  if (length < 0) return errno == ENAMETOOLONG;
  return starts_with_path({text.data(), static_cast<std::size_t>(length)}, directory);
}

class Search {
 public:
  Search(const std::vector<ProtectedPlace>& places, std::uint64_t deadline_usec)
      : places_(places), deadline_usec_(deadline_usec) {}

  Result<void> look_at(pid_t pid) {
    const std::string process = cat("/proc/", pid);
    const auto threads = list_numbers(process + "/task");
    if (!threads) return is_gone(threads.error().sys_errno) ? Result<void>() : threads.error();
    AGENTCTL_TRY_VOID(consider(process + "/exe"));
    for (const std::string& thread : *threads) {
      const std::string task = cat(process, "/task/", thread);
      AGENTCTL_TRY_VOID(consider(task + "/cwd"));
      AGENTCTL_TRY_VOID(consider(task + "/root"));
      const bool is_leader = thread == std::to_string(pid);
      if (is_leader || !shares_descriptors(pid, thread)) AGENTCTL_TRY_VOID(look_at_descriptors(pid, task, is_leader));
    }
    return {};
  }

 private:
  static bool shares_descriptors(pid_t pid, const std::string& thread) {
    return ::syscall(SYS_kcmp, pid, std::stol(thread), KCMP_FILES, 0UL, 0UL) == 0;
  }

  Result<void> look_at_descriptors(pid_t pid, const std::string& task, bool is_leader) {
    const auto numbers = list_numbers(task + "/fd");
    if (!numbers) {
      if (is_gone(numbers.error().sys_errno) || is_dead(pid)) return {};
      return is_leader ? take_descriptors(pid) : cannot_tell(pid);
    }
    for (const std::string& number : *numbers) {
      AGENTCTL_TRY_VOID(consider_descriptor(cat(task, "/fd/", number), cat(task, "/fdinfo/", number)));
    }
    return {};
  }

  // A process that is not dumpable shows its descriptors to nobody; whose parent we are, it has to give us copies.
  Result<void> take_descriptors(pid_t pid) {
    const auto pidfd = open_pidfd(pid);
    const auto status = read_file(cat("/proc/", pid, "/status"));
    const auto slots = status ? find_number(*status, "FDSize") : std::nullopt;
    if (!pidfd || !slots) return cannot_tell(pid);
    for (unsigned long number = 0; number < *slots; ++number) {
      const UniqueFd copy(static_cast<int>(::syscall(SYS_pidfd_getfd, pidfd->get(), number, 0U)));
      if (!copy.valid() && errno == EBADF) continue;
      if (!copy.valid()) return is_gone(errno) ? Result<void>() : cannot_tell(pid);
      AGENTCTL_TRY_VOID(consider_descriptor(cat("/proc/self/fd/", copy.get()), cat("/proc/self/fdinfo/", copy.get())));
    }
    return {};
  }

  Result<void> consider_descriptor(const std::string& link, const std::string& info) {
    const mode_t mode = AGENTCTL_TRY(consider(link));
    if (!S_ISSOCK(mode)) return {};
    const auto text = read_file(info);
    if (text && !has_waiting_descriptors(*text)) return {};
    if (!text && is_gone(text.error().sys_errno)) return {};
    return make_error(ErrorKind::environment, cat("'", printable(places_.front().path),
                                                  "' may be held open: processes of the session are sending each "
                                                  "other descriptors, which nobody can look at"));
  }

  // Gives the mode of what the link leads to.
  Result<mode_t> consider(const std::string& link) {
    if (monotonic_usec() > deadline_usec_) {
      return make_error(ErrorKind::environment, "the session has too much open to look through");
    }
    struct statx status {};
    constexpr int kFlags = AT_NO_AUTOMOUNT | AT_STATX_DONT_SYNC;  // no server is asked
    if (::statx(AT_FDCWD, link.c_str(), kFlags, STATX_TYPE | STATX_INO | STATX_NLINK, &status) != 0) {
      if (is_gone(errno)) return mode_t{0};
      return errno_error(cat("cannot look at '", link, "'"));
    }
    for (const ProtectedPlace& place : places_) {
      if (!leads_to(place, link, status) || leads_through_read_only(link)) continue;
      return make_error(ErrorKind::environment, cat("'", printable(place.path), kInSession));
    }
    return mode_t{status.stx_mode};
  }

  static bool leads_to(const ProtectedPlace& place, const std::string& link, const struct statx& status) {
    const dev_t device = ::makedev(status.stx_dev_major, status.stx_dev_minor);
    if (FileIdentity{device, status.stx_ino} == place.identity) return true;
    // What was removed is in no directory any more, whatever its path says.
    if (!place.is_directory || status.stx_nlink == 0) return false;
    return (S_ISREG(status.stx_mode) || S_ISDIR(status.stx_mode)) && starts_below(link, place.path);
  }

  static bool is_dead(pid_t pid) {
    const auto stat = read_process_stat(pid);
    return !stat || stat->state == 'Z' || stat->state == 'X';
  }

  static Error cannot_tell(pid_t pid) {
    return make_error(ErrorKind::environment,
                      cat("process ", pid, " of the session lets nobody see what it holds open"));
  }

  const std::vector<ProtectedPlace>& places_;
  const std::uint64_t deadline_usec_;
};

}  // namespace

Result<void> prove_not_held(const std::vector<ProtectedPlace>& places, const std::vector<pid_t>& pids,
                            std::uint64_t deadline_usec) {
  if (places.empty()) return {};
  Search search(places, deadline_usec);
  for (const pid_t pid : pids) AGENTCTL_TRY_VOID(search.look_at(pid));
  return {};
}

std::vector<pid_t> find_processes_in(int mount_namespace) {
  std::vector<pid_t> pids;
  struct stat wanted {};
  const auto numbers = list_numbers("/proc");
  if (!numbers || ::fstat(mount_namespace, &wanted) != 0) return pids;
  for (const std::string& number : *numbers) {
    struct stat found {};
    if (::stat(cat("/proc/", number, "/ns/mnt").c_str(), &found) != 0) continue;
    if (found.st_dev == wanted.st_dev && found.st_ino == wanted.st_ino) pids.push_back(std::stoi(number));
  }
  return pids;
}

bool is_shared_mapping(std::string_view line, const ProtectedPlace& place) {
  // address perms offset dev inode path
  std::array<std::string_view, 5> fields;
  for (std::string_view& field : fields) {
    field = line.substr(0, line.find(' '));
    line.remove_prefix(std::min(line.size(), field.size() + 1));
  }
  if (fields[1].find('s') == std::string_view::npos) return false;
  return fields[4] == std::to_string(place.identity.inode) &&
         line.substr(std::min(line.size(), line.find_first_not_of(' '))) == place.path;
}

bool has_waiting_descriptors(std::string_view fdinfo) { return find_number(fdinfo, "scm_fds").value_or(0) != 0; }

Result<void> prove_not_mapped(const ProtectedPlace& place, const std::vector<pid_t>& pids) {
  for (const pid_t pid : pids) {
    const auto maps = read_file(cat("/proc/", pid, "/maps"), kMostMapBytes);
    if (!maps && is_gone(maps.error().sys_errno)) continue;
    if (!maps) return maps.error();
    bool is_mapped = false;
    for_each_part(*maps, '\n', [&](std::string_view line) { is_mapped = is_mapped || is_shared_mapping(line, place); });
    if (is_mapped) return make_error(ErrorKind::environment, cat("'", printable(place.path), kInSession));
  }
  return {};
}

}  // namespace agentctl::bwrap
