// SPDX-License-Identifier: Apache-2.0
#include "manager/surface_walk.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"
#include "bwrap/safe_path.h"
#include "manager/git_config_keys.h"

namespace agentctl::manager {
namespace {

constexpr int kDeepest = 64;
constexpr std::size_t kMostGaps = 10;
constexpr std::size_t kConfigBytes = 1U << 18;
// Without contacting a server: one that is gone must not hold up the end of a session.
constexpr int kStatFlags = AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT | AT_STATX_DONT_SYNC;

std::int64_t nanoseconds(const statx_timestamp& time) { return time.tv_sec * 1'000'000'000 + time.tv_nsec; }

std::string child_of(const std::string& directory, const std::string& name) {
  return directory == "." ? name : cat(directory, "/", name);
}

bool is_mount(const struct statx& status) { return (status.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0; }

bool has(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// A bare repository, a submodule's or a worktree's own directory: git takes each for its own, whatever the name.
bool looks_like_git_directory(const std::vector<std::string>& names) {
  return has(names, "HEAD") && (has(names, "commondir") || (has(names, "objects") && has(names, "refs")));
}

// The target, links and all, if it stays beneath the root and on its file system.
UniqueFd open_linked(int root, const std::string& relative) {
  struct open_how how {};
  how.flags = O_PATH | O_CLOEXEC;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV;
  return UniqueFd(static_cast<int>(::syscall(SYS_openat2, root, relative.c_str(), &how, sizeof how)));
}

std::string read_target(int directory, const std::string& name) {
  char target[PATH_MAX];
  const ssize_t length = ::readlinkat(directory, name.c_str(), target, sizeof target);
  return length <= 0 ? std::string() : std::string(target, static_cast<std::size_t>(length));
}

}  // namespace

SurfaceWalk::SurfaceWalk(std::int64_t since_nsec, const SurfaceBounds& bounds)
    : since_(since_nsec), bounds_(bounds), started_usec_(monotonic_usec()) {}

void SurfaceWalk::look_at(const std::string& root) {
  const std::size_t slash = root.rfind('/');
  struct statx status {};
  if (::statx(AT_FDCWD, root.c_str(), kStatFlags, STATX_BASIC_STATS | STATX_BTIME, &status) != 0) {
    if (errno != ENOENT) gap(errno_error(cat("cannot look at '", printable(root), "'")).message);
    return;
  }
  const bool directory = S_ISDIR(status.stx_mode);
  const std::string place = directory ? root : root.substr(0, std::max<std::size_t>(slash, 1));
  auto held = bwrap::hold_directory(bwrap::HostPath(place));
  if (!held) return gap(held.error().message);
  roots_.push_back(std::make_unique<Root>(Root{place, std::move(*held)}));
  Directory top;
  top.root = roots_.back().get();
  top.relative = ".";
  top.name = place;
  if (!directory) return look_at_file(top, root.substr(slash + 1), status);
  for (std::string above = place; above.size() > 1 && top.rule == nullptr; above.resize(above.rfind('/')))
    top.rule = find_surface_rule(above, SurfaceType::directory);
  if (top.rule != nullptr && top.rule->scope == SurfaceScope::whole) top.whole = place;
  first_.push_back(std::move(top));
  drain();
}

bool SurfaceWalk::out_of_bounds() {
  if (cut_) return true;
  const bool too_many = entries_ >= bounds_.entries;
  const bool too_long = entries_ % 64 == 0 && monotonic_usec() - started_usec_ > bounds_.usec;
  if (!too_many && !too_long) return false;
  cut_ = true;
  gap(cat("only the first ", entries_, " files were looked at"));
  return true;
}

void SurfaceWalk::drain() {
  while (!first_.empty() || !later_.empty()) {
    std::deque<Directory>& queue = first_.empty() ? later_ : first_;
    const Directory next = std::move(queue.front());
    queue.pop_front();
    if (out_of_bounds()) return;
    read(next);
  }
}

void SurfaceWalk::read(const Directory& directory) {
  const std::string shown = child_of(directory.root->path, directory.relative);
  if (directory.depth > kDeepest) return gap(cat("'", printable(shown), "' lies too deep"));
  Result<UniqueFd> fd = UniqueFd();
  if (directory.follows_link) {
    const UniqueFd target = open_linked(directory.root->fd.get(), directory.relative);
    fd = open_at(target.get(), ".", O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  } else {
    fd = bwrap::open_beneath(directory.root->fd.get(), directory.relative, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  }
  if (!fd) {
    if (fd.error().sys_errno != ENOENT) gap(fd.error().message);
    return;
  }
  const int copy = ::fcntl(fd->get(), F_DUPFD_CLOEXEC, 0);
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(copy < 0 ? nullptr : ::fdopendir(copy),
                                                   [](DIR* open) { return open == nullptr ? 0 : ::closedir(open); });
  if (!stream) return gap(errno_error(cat("cannot read '", printable(shown), "'")).message);
  std::vector<std::string> names;
  while (const dirent* entry = ::readdir(stream.get())) {
    const std::string_view name(entry->d_name);
    if (name != "." && name != "..") names.emplace_back(name);
    if (names.size() + entries_ >= bounds_.entries) break;
  }
  read_entries(directory, fd->get(), names);
}

void SurfaceWalk::read_entries(const Directory& listed, int fd, const std::vector<std::string>& names) {
  Directory directory = listed;
  const bool is_modules = directory.name == ".git/modules";
  if (!is_modules && looks_like_git_directory(names)) directory.name = ".git";
  const bool is_git = directory.name == ".git";
  for (const std::string& name : names) {
    if (out_of_bounds()) return;
    ++entries_;
    struct statx status {};
    if (::statx(fd, name.c_str(), kStatFlags, STATX_BASIC_STATS | STATX_BTIME, &status) != 0) continue;
    if (S_ISDIR(status.stx_mode)) {
      look_at_directory(directory, name, status);
    } else if (S_ISLNK(status.stx_mode)) {
      look_at_link(directory, name, fd, status);
    } else if (is_git && (name == "config" || name == "config.worktree")) {
      look_at_git_config(directory, fd, name, status);
    } else {
      look_at_file(directory, name, status);
    }
  }
}

void SurfaceWalk::look_at_directory(const Directory& above, const std::string& name, const struct statx& status) {
  Directory next;
  next.root = above.root;
  next.relative = child_of(above.relative, name);
  next.name = name == ".git" ? ".git" : cat(above.name, "/", name);
  next.depth = above.depth + 1;
  next.whole = above.whole;
  next.in_git_modules = above.in_git_modules || next.name == ".git/modules";
  const std::string path = child_of(above.root->path, next.relative);
  if (is_mount(status)) return gap(cat("'", printable(path), "' is another file system"));
  // git's own store and names, which nothing runs; in a submodule's place they may be anything.
  const bool store = next.name == ".git/objects" || next.name == ".git/refs" || next.name == ".git/logs";
  if (next.name.starts_with(".git/objects/") && next.name != ".git/objects/info" && !next.in_git_modules) return;
  if (store && next.name != ".git/objects" && !next.in_git_modules) return;
  if (name == ".git" && is_born(status)) find(path, "repository", "git", status);
  next.rule = above.rule;
  if (next.whole.empty() && next.rule == nullptr) next.rule = find_surface_rule(next.name, SurfaceType::directory);
  // A submodule may be half made, and finished by a later session.
  if (next.rule == nullptr && next.in_git_modules && name == "hooks") next.rule = &git_hook_rule();
  const bool named = next.rule != nullptr && above.rule == nullptr;
  if (named && next.rule->scope == SurfaceScope::whole) {
    next.whole = path;
  } else if (named && is_recent(status)) {
    find(path, *next.rule, status);
  }
  const bool late = !next.whole.empty() || (next.in_git_modules && store);
  (late ? later_ : first_).push_back(std::move(next));
}

void SurfaceWalk::look_at_file(const Directory& above, const std::string& name, const struct statx& status) {
  const std::string path = child_of(above.root->path, child_of(above.relative, name));
  if (!S_ISREG(status.stx_mode) || !is_recent(status)) return;
  if ((status.stx_mode & (S_ISUID | S_ISGID)) != 0) {
    find(path, (status.stx_mode & S_ISUID) != 0 ? "set-user-ID file" : "set-group-ID file", "any user", status);
  }
  if (status.stx_nlink > 1) {
    const std::uint64_t device = (static_cast<std::uint64_t>(status.stx_dev_major) << 32) | status.stx_dev_minor;
    OutsideNames& names = names_.try_emplace({device, status.stx_ino}, OutsideNames{path, 0, 0}).first->second;
    names.names = status.stx_nlink;
    ++names.seen;
  }
  if (above.rule != nullptr && above.rule->run_by == "git" && name.ends_with(".sample")) return;  // git never runs it
  if (!above.whole.empty()) {
    find(above.whole, *above.rule, status);
    found_[above.whole].change = "changed";
    return;
  }
  const SurfaceRule* rule = above.rule;
  if (rule == nullptr) rule = find_surface_rule(cat(above.name, "/", name), SurfaceType::file);
  if (rule != nullptr) return find(path, *rule, status);
  if (name == ".git") find(path, "repository", "git", status);
  if ((status.stx_mode & 0111) == 0 || !is_born(status)) return;
  ++executable_count_;
  if (executables_.size() < kMostExecutables) executables_.push_back(path);
}

void SurfaceWalk::look_at_link(const Directory& above, const std::string& name, int fd, const struct statx& status) {
  const std::string relative = child_of(above.relative, name);
  const std::string path = child_of(above.root->path, relative);
  const std::string target = read_target(fd, name);
  std::string within = relative;
  // openat2(2) takes an absolute target for one that leaves, even where it does not.
  if (target.starts_with('/') && starts_with_path(target, above.root->path)) {
    within = target.size() > above.root->path.size() ? target.substr(above.root->path.size() + 1) : ".";
  }
  const UniqueFd end = open_linked(above.root->fd.get(), within);
  const bool leaves = !end.valid() && (errno == EXDEV || errno == ELOOP || errno == EACCES);
  const SurfaceRule* rule = above.rule;
  if (rule == nullptr) rule = find_surface_rule(cat(above.name, "/", name), SurfaceType::link);
  if (is_recent(status)) {
    if (leaves) {
      find(path, "link that leaves the project", "whatever follows it", status, target);
    } else if (rule != nullptr && above.whole.empty()) {
      find(path, rule->kind, rule->run_by, status, target);
    } else if (name == ".git") {
      find(path, "repository", "git", status, target);
    }
  }
  if (rule == nullptr || !end.valid() || !above.whole.empty() || rule->scope == SurfaceScope::whole) return;
  // An old link: what it leads to counts by the link's name.
  struct statx reached {};
  if (::statx(end.get(), "", kStatFlags | AT_EMPTY_PATH, STATX_BASIC_STATS | STATX_BTIME, &reached) != 0) return;
  if (S_ISREG(reached.stx_mode) && is_recent(reached)) find(path, rule->kind, rule->run_by, reached, target);
  if (!S_ISDIR(reached.stx_mode)) return;
  Directory next;
  next.root = above.root;
  next.relative = within;
  next.name = cat(above.name, "/", name);
  next.rule = rule;
  next.follows_link = true;
  next.depth = above.depth + 8;  // links in a circle end soon
  first_.push_back(std::move(next));
}

void SurfaceWalk::look_at_git_config(const Directory& directory, int fd, const std::string& name,
                                     const struct statx& status) {
  if (!S_ISREG(status.stx_mode)) return;
  const std::string path = child_of(directory.root->path, child_of(directory.relative, name));
  const auto file = bwrap::open_beneath(fd, name, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  const auto text =
      file ? read_file(cat("/proc/self/fd/", file->get()), kConfigBytes) : Result<std::string>(file.error());
  if (!text) {
    if (is_recent(status)) find(path, "git configuration", "git", status, "cannot be read");
    return;
  }
  const GitConfigKeys keys = read_git_config_keys(*text);
  if (is_recent(status) && (keys.damaged || !keys.running.empty())) {
    const std::string detail = keys.damaged ? cat("damaged; ", join(keys.running, ", ")) : join(keys.running, ", ");
    find(path, "git configuration", "git", status, detail);
  }
  if (keys.hooks_path.empty()) return;
  Directory hooks;  // relative to the work tree, which is above the git directory
  hooks.root = directory.root;
  const std::size_t slash = directory.relative.rfind('/');
  const std::string work_tree = slash == std::string::npos ? "." : directory.relative.substr(0, slash);
  hooks.relative = child_of(work_tree, keys.hooks_path);
  if (keys.hooks_path.starts_with('/')) {
    if (!starts_with_path(keys.hooks_path, directory.root->path)) return;
    hooks.relative = "." + keys.hooks_path.substr(directory.root->path.size());
  }
  hooks.name = ".git/hooks";
  hooks.rule = &git_hook_rule();
  hooks.follows_link = true;
  hooks.depth = directory.depth + 8;
  if (open_linked(hooks.root->fd.get(), hooks.relative).valid()) first_.push_back(std::move(hooks));
}

bool SurfaceWalk::is_recent(const struct statx& status) const { return nanoseconds(status.stx_ctime) >= since_; }

bool SurfaceWalk::is_born(const struct statx& status) const {
  return (status.stx_mask & STATX_BTIME) != 0 && nanoseconds(status.stx_btime) >= since_;
}

void SurfaceWalk::find(const std::string& path, const SurfaceRule& rule, const struct statx& status) {
  find(path, rule.kind, rule.run_by, status);
}

void SurfaceWalk::find(const std::string& path, std::string_view kind, std::string_view run_by,
                       const struct statx& status, std::string detail) {
  found_.try_emplace(path, SurfaceFinding{path, std::string(kind), std::string(run_by),
                                          is_born(status) ? "new" : "changed", std::move(detail)});
}

void SurfaceWalk::gap(std::string text) {
  if (gaps_.size() < kMostGaps) gaps_.push_back(std::move(text));
}

SurfaceReport SurfaceWalk::finish() {
  for (const auto& [unused, names] : names_) {
    if (names.seen >= names.names) continue;
    found_.try_emplace(names.path, SurfaceFinding{names.path, "hard link", "whatever uses its other names", "changed",
                                                  cat(names.names, " names, ", names.seen, " here")});
  }
  SurfaceReport report;
  for (auto at = found_.begin(); at != found_.end(); ++at) {
    // A directory is told where nothing in it is: its entries are old, but came here or were taken away.
    const auto below = found_.lower_bound(at->first + "/");
    if (below != found_.end() && starts_with_path(below->first, at->first) && at->second.detail.empty()) continue;
    ++report.count;
    if (report.findings.size() < kMostFindings) report.findings.push_back(std::move(at->second));
  }
  report.gaps = std::move(gaps_);
  report.executables = std::move(executables_);
  report.executable_count = executable_count_;
  return report;
}

}  // namespace agentctl::manager
