// SPDX-License-Identifier: Apache-2.0
#include "bwrap/bwrap_binary.h"

#include <sys/stat.h>

#include <cctype>

#include "base/file.h"
#include "base/text.h"
#include "bwrap/path_resolution.h"

namespace agentctl::bwrap {
namespace {

constexpr std::size_t kLargestBinary = 16U << 20;
constexpr std::string_view kInstallHint =
    "install bubblewrap from your distribution, for example: apt install bubblewrap";

Error refuse(const std::string& path, std::string_view why) {
  return make_error(ErrorKind::environment, cat("refused to use '", printable(path), "': ", why),
                    std::string(kInstallHint));
}

// Root may write anywhere; anybody else who may write the file or a directory above it may choose what we run.
Result<void> check_owner(const std::string& canonical) {
  struct stat status {};
  for (std::string at = canonical;; at = parent_path(at)) {
    if (::stat(at.c_str(), &status) != 0) return errno_error(cat("cannot examine '", printable(at), "'"));
    const bool shared = (status.st_mode & (S_IWGRP | S_IWOTH)) != 0 && (status.st_mode & S_ISVTX) == 0;
    if (status.st_uid != 0) return refuse(canonical, cat("'", printable(at), "' does not belong to root"));
    if (shared) return refuse(canonical, cat("'", printable(at), "' is writable by others than root"));
    if (at == "/") return {};
  }
}

}  // namespace

const std::vector<std::string>& bwrap_directories() {
  static const std::vector<std::string> directories = {"/usr/bin", "/usr/local/bin", "/bin",
                                                       "/run/current-system/sw/bin"};
  return directories;
}

BwrapFact describe_bwrap(std::string_view bytes) {
  constexpr std::string_view kName = "bubblewrap ";
  BwrapFact fact;
  for (std::size_t at = bytes.find(kName); at != std::string_view::npos; at = bytes.find(kName, at + 1)) {
    std::size_t end = at + kName.size();
    while (end < bytes.size() && (std::isdigit(static_cast<unsigned char>(bytes[end])) != 0 || bytes[end] == '.'))
      ++end;
    if (end == at + kName.size() || end >= bytes.size() || bytes[end] != '\0') continue;
    fact.version = bytes.substr(at + kName.size(), end - at - kName.size());
    break;
  }
  using std::string_view_literals::operator""sv;
  fact.has_bind_fd =
      bytes.find("--bind-fd\0"sv) != std::string_view::npos && bytes.find("--ro-bind-fd\0"sv) != std::string_view::npos;
  return fact;
}

Result<BwrapFact> find_bwrap(const std::vector<std::string>& directories) {
  for (const std::string& directory : directories) {
    const PathFact found = resolve_path(join_path(directory, "bwrap"));
    if (found.kind != PathKind::file) continue;
    const std::string& path = found.canonical.str();
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) return errno_error(cat("cannot examine '", printable(path), "'"));
    if ((status.st_mode & (S_ISUID | S_ISGID)) != 0) {
      return make_error(ErrorKind::environment, cat("refused to use '", printable(path), "': it is set-uid"),
                        "allow unprivileged user namespaces and remove the bit: chmod u-s,g-s " + shell_quote(path));
    }
    AGENTCTL_TRY_VOID(check_owner(path));
    BwrapFact fact = describe_bwrap(AGENTCTL_TRY(read_file(path, kLargestBinary)));
    fact.path = HostPath(path);
    return fact;
  }
  return make_error(ErrorKind::environment, cat("cannot find bwrap in ", join(directories, ", ")),
                    std::string(kInstallHint));
}

}  // namespace agentctl::bwrap
