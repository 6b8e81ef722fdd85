// SPDX-License-Identifier: Apache-2.0
#include "bwrap/mask_trees.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/file.h"
#include "base/parent_death.h"
#include "base/receive.h"
#include "base/text.h"
#include "bwrap/mask_mounts.h"
#include "bwrap/mount_tree.h"
#include "bwrap/path_resolution.h"

namespace agentctl::bwrap {
namespace {

constexpr std::size_t kLeastMasks = 16;
constexpr std::size_t kMostTrees = 252;  // with the source, what the kernel passes in one message (SCM_MAX_FD)
constexpr int kSocket = 3;
constexpr const char* kOwnSource = "/proc";  // no rule has its place there

template <typename Roots>
bool lies_in(const Roots& roots, std::string_view path) {
  for (; path != "/"; path = parent_of(path)) {
    if (roots.contains(path)) return true;
  }
  return false;
}

Result<void> map_own_ids(uid_t uid, gid_t gid) {
  AGENTCTL_TRY_VOID(write_control_file_at(AT_FDCWD, "/proc/self/setgroups", "deny"));
  AGENTCTL_TRY_VOID(write_control_file_at(AT_FDCWD, "/proc/self/uid_map", cat(uid, " ", uid, " 1")));
  return write_control_file_at(AT_FDCWD, "/proc/self/gid_map", cat(gid, " ", gid, " 1"));
}

// A slave's mounts are slaves, as bwrap makes them: what the host mounts later in a pinned directory is seen there.
Result<void> enter_own_mounts() {
  const uid_t uid = ::getuid();
  const gid_t gid = ::getgid();
  if (::unshare(CLONE_NEWNS) != 0) {
    if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return errno_error("unshare");
    AGENTCTL_TRY_VOID(map_own_ids(uid, gid));
  }
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_SLAVE, nullptr) != 0) return errno_error("mount");
  return {};
}

// By its name in a directory that is held, which takes half of the time that mask() does. Should the host put a link
// there at this moment, the mask comes to stand elsewhere, where nobody sees it, and is missed when the tree is used.
Result<void> mask_by_name(PlaceOpener& places, const MountInPlace& mount, const std::string& source) {
  const int directory = AGENTCTL_TRY(places.open_directory_of(mount.path));
  const char* name = mount.path.c_str() + mount.path.rfind('/') + 1;
  struct stat status {};
  if (::fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT) != 0) return errno_error("fstatat");
  if (S_ISLNK(status.st_mode)) return errno_error(ELOOP, "fstatat");
  if (::fchdir(directory) != 0) return errno_error("fchdir");
  if (::mount(source.c_str(), name, nullptr, MS_BIND, nullptr) != 0) return errno_error("mount");
  return {};
}

Result<std::vector<UniqueFd>> make_trees(const LateMounts& mounts, const std::vector<std::string>& roots) {
  AGENTCTL_TRY_VOID(enter_own_mounts());
  const MaskSource source = AGENTCTL_TRY(make_mask_source(kOwnSource));
  const std::string file = cat(kOwnSource, kMaskFile);
  const std::string directory = cat(kOwnSource, kMaskDirectory);
  const std::unordered_set<std::string_view> known(roots.begin(), roots.end());
  PlaceOpener places;
  for (const MountInPlace& mount : mounts.in_place()) {
    if (!lies_in(known, mount.path)) continue;
    if (mount.kind == InPlace::mask) {
      AGENTCTL_TRY_VOID(mask_by_name(places, mount, mount.directory ? directory : file));
    } else if (mount.kind != InPlace::copy) {
      const UniqueFd place = AGENTCTL_TRY(places.open(mount.path));
      AGENTCTL_TRY_VOID(pin(mount.path, place, mount.kind == InPlace::read_only));
    }
  }
  std::vector<UniqueFd> trees;
  trees.push_back(AGENTCTL_TRY(clone_tree(source.root, false)));
  for (const std::string& root : roots) {
    const UniqueFd place = AGENTCTL_TRY(open_place(root));
    trees.push_back(AGENTCTL_TRY(clone_tree(place, true)));
    AGENTCTL_TRY_VOID(forbid_devices(trees.back()));
  }
  return trees;
}

// One byte, and room for descriptors that go with it.
struct TreeMessage {
  alignas(cmsghdr) std::array<char, CMSG_SPACE((kMostTrees + 1) * sizeof(int))> control{};
  char word = 0;
  iovec data{&word, sizeof word};
  msghdr header{};

  explicit TreeMessage(std::size_t control_bytes) {
    header.msg_iov = &data;
    header.msg_iovlen = 1;
    header.msg_control = control.data();
    header.msg_controllen = control_bytes;
  }
  TreeMessage(const TreeMessage&) = delete;  // it points into itself
  TreeMessage& operator=(const TreeMessage&) = delete;
};

void send_trees(int socket, const std::vector<UniqueFd>& trees) {
  TreeMessage message(CMSG_SPACE(trees.size() * sizeof(int)));
  cmsghdr* part = CMSG_FIRSTHDR(&message.header);
  part->cmsg_level = SOL_SOCKET;
  part->cmsg_type = SCM_RIGHTS;
  part->cmsg_len = CMSG_LEN(trees.size() * sizeof(int));
  int* fds = reinterpret_cast<int*>(CMSG_DATA(part));
  for (const UniqueFd& tree : trees) *fds++ = tree.get();
  (void)::sendmsg(socket, &message.header, MSG_NOSIGNAL);
}

std::vector<UniqueFd> receive_trees(int socket) {
  TreeMessage message(sizeof TreeMessage::control);
  std::vector<UniqueFd> trees;
  if (receive_message(socket, message.header) != sizeof message.word) return trees;
  const cmsghdr* part = CMSG_FIRSTHDR(&message.header);
  if (part == nullptr || part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) return trees;
  const std::size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
  for (std::size_t at = 0; at < count; ++at) {
    int fd = -1;
    std::memcpy(&fd, CMSG_DATA(part) + at * sizeof fd, sizeof fd);
    trees.emplace_back(fd);
  }
  return trees;
}

[[noreturn]] void run(pid_t parent, int socket, const LateMounts& mounts, const std::vector<std::string>& roots) {
  die_with(parent);
  ::umask(022);
  if (::dup2(socket, kSocket) < 0 || ::syscall(SYS_close_range, kSocket + 1, ~0U, 0) != 0) ::_exit(1);
  const auto trees = make_trees(mounts, roots);
  die_with(parent);  // once more: a new user namespace forgets it
  if (trees) send_trees(kSocket, *trees);
  ::_exit(0);
}

}  // namespace

std::vector<std::string> find_tree_roots(const std::vector<MountInPlace>& mounts) {
  std::vector<std::string> roots;
  std::unordered_set<std::string_view> known;
  std::size_t masks = 0;
  for (const MountInPlace& mount : mounts) {
    const bool inside = lies_in(known, mount.path);
    if (mount.kind == InPlace::mask && inside) ++masks;
    if (mount.kind != InPlace::pin || inside || roots.size() == kMostTrees) continue;
    roots.push_back(mount.path);
    known.insert(mount.path);
  }
  if (masks < kLeastMasks) roots.clear();
  return roots;
}

MaskTrees MaskTrees::prepare(const LateMounts& mounts, pid_t self) {
  MaskTrees made;
  std::vector<std::string> roots = find_tree_roots(mounts.in_place());
  int ends[2];
  if (roots.empty() || ::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return made;
  const UniqueFd ours(ends[0]);
  UniqueFd theirs(ends[1]);
  made.maker_ = ::fork();
  if (made.maker_ == 0) run(self, theirs.get(), mounts, roots);
  theirs.reset();
  std::vector<UniqueFd> fds = receive_trees(ours.get());
  if (fds.size() != roots.size() + 1) return made;
  made.source_ = std::move(fds.front());
  for (std::size_t at = 0; at < roots.size(); ++at)
    made.trees_.push_back({std::move(roots[at]), std::move(fds[at + 1])});
  return made;
}

Result<MaskSource> MaskTrees::attach() {
  if (!source_.valid()) return make_mask_source(kMaskSource);
  auto source = attach_mask_source(source_);
  if (!source) return make_mask_source(kMaskSource);
  for (const Tree& tree : trees_) {
    const auto place = open_place(tree.root);
    if (place && attach_tree(tree.fd, *place)) attached_.insert(tree.root);
  }
  return source;
}

bool MaskTrees::hold(const std::string& path) const { return !attached_.empty() && lies_in(attached_, path); }

void MaskTrees::reap() {
  if (maker_ > 0) ::waitpid(std::exchange(maker_, 0), nullptr, 0);
}

}  // namespace agentctl::bwrap
