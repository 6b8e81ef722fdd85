// SPDX-License-Identifier: Apache-2.0
#include "bwrap/argv.h"

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "base/text.h"
#include "bwrap/mask_mounts.h"
#include "bwrap/path_resolution.h"

namespace agentctl::bwrap {
namespace {

constexpr std::size_t kMostArguments = 9000;  // MAX_ARGS of bubblewrap.c

// The hard variants: a namespace that cannot be had is a failed start, not a weaker sandbox. No --new-session: the
// session has a terminal of its own. No --setenv: what bwrap itself is given can be read in /proc/1.
constexpr const char* kNamespaces[] = {"--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup"};

std::string octal(std::uint32_t mode) {
  std::string out;
  for (int shift = 9; shift >= 0; shift -= 3) out += static_cast<char>('0' + ((mode >> shift) & 7U));
  return out;
}

Error fault(std::string_view what, const std::string& path) {
  return make_error(ErrorKind::internal, cat("cannot render the plan: ", what, " '", printable(path), "'"));
}

class Renderer {
 public:
  Renderer(const Plan& plan, const BwrapFds& fds, const LateMounts& late) : plan_(plan), fds_(fds), late_(late) {}

  Result<std::vector<std::string>> render() {
    AGENTCTL_TRY_VOID(render_isolation());
    for (std::size_t index = 0; index < plan_.operations.size(); ++index) AGENTCTL_TRY_VOID(render_operation(index));
    AGENTCTL_TRY_VOID(check(plan_.working_directory.str()));
    add({"--chdir", plan_.working_directory.str()});
    for (const int fd : fds_.seccomp) add({"--add-seccomp-fd", std::to_string(fd)});
    if (fds_.status >= 0) add({"--json-status-fd", std::to_string(fds_.status)});
    if (fds_.block >= 0) add({"--block-fd", std::to_string(fds_.block)});
    if (options_.size() - mask_words_ > kMostArguments) {
      return make_error(ErrorKind::internal, cat("cannot render the plan: bwrap takes at most ", kMostArguments,
                                                 " arguments, the plan has ", options_.size() - mask_words_));
    }
    return std::move(options_);
  }

 private:
  void add(std::initializer_list<std::string> words) { options_.insert(options_.end(), words); }

  Result<void> render_isolation() {
    add({"--unshare-user"});
    if (!plan_.nested) add({"--disable-userns", "--assert-userns-disabled"});
    options_.insert(options_.end(), std::begin(kNamespaces), std::end(kNamespaces));
    if (plan_.network != policy::NetworkMode::host) add({"--unshare-net"});
    if (plan_.hostname.empty() || plan_.hostname.find('\0') != std::string::npos) {
      return fault("unusable host name", plan_.hostname);
    }
    add({"--die-with-parent", "--cap-drop", "ALL", "--hostname", plan_.hostname});
    return {};
  }

  Result<void> check(const std::string& path) const {
    if (path.find('\0') != std::string::npos) return fault("NUL byte in", path);
    if (!path.starts_with('/') || normalize_path(path) != path) return fault("not an absolute and normal path:", path);
    return {};
  }

  Result<std::string> next_copy(const Operation& operation) {
    if (copies_used_ >= fds_.copies.size()) return fault("no descriptor for", operation.destination.str());
    return std::to_string(fds_.copies[copies_used_++]);
  }

  void add_mode(std::uint32_t mode) {
    if (mode != 0) add({"--perms", octal(mode)});
  }

  // A new file can be made only in a tmpfs of ours; over a bound tree the existing file is covered instead.
  bool lies_in_bind(std::size_t index) const {
    const std::string& destination = plan_.operations[index].destination.str();
    std::size_t longest = 0;
    bool bound = false;
    for (std::size_t other = 0; other < index; ++other) {
      const Operation& operation = plan_.operations[other];
      const std::string& cover = operation.destination.str();
      if (operation.kind == OperationKind::remount_read_only || !starts_with_path(destination, cover)) continue;
      if (cover.size() < longest) continue;
      longest = cover.size();
      bound = operation.kind == OperationKind::bind || operation.kind == OperationKind::bind_project ||
              operation.kind == OperationKind::pin;
    }
    return bound;
  }

  Result<void> render_operation(std::size_t index) {
    const Operation& operation = plan_.operations[index];
    const std::string& destination = operation.destination.str();
    const bool read_only = operation.access == Access::read_only;
    AGENTCTL_TRY_VOID(check(destination));
    if (operation.kind == OperationKind::remount_read_only && late_.has_masks() && destination == "/") {
      add({"--dir", kMaskSource});
    }
    if (late_.takes(operation)) return {};
    if (const std::string source = late_.copy_source(operation); !source.empty()) {
      add({"--perms", "0600", "--file", AGENTCTL_TRY(next_copy(operation)), source});
      return {};
    }
    switch (operation.kind) {
      case OperationKind::bind:
      case OperationKind::pin:
        AGENTCTL_TRY_VOID(check(operation.source.str()));
        add({read_only ? "--ro-bind" : "--bind", operation.source.str(), destination});
        return {};
      case OperationKind::bind_device:
        AGENTCTL_TRY_VOID(check(operation.source.str()));
        add({"--dev-bind", operation.source.str(), destination});
        return {};
      case OperationKind::bind_project:
        return render_project(operation);
      case OperationKind::bind_stage:
        return render_stage(destination);
      case OperationKind::tmpfs:
        add_mode(operation.mode);
        if (operation.size != 0) add({"--size", std::to_string(operation.size)});
        add({"--tmpfs", destination});
        if (const LateTree* tree = late_.tree_at(destination)) add({"--ro-bind", tree->root, tree->source()});
        return {};
      case OperationKind::proc:
        add({"--proc", destination});
        return {};
      case OperationKind::dev:
        add({"--dev", destination});
        return {};
      case OperationKind::directory:
        add_mode(operation.mode);
        add({"--dir", destination});
        return {};
      case OperationKind::symlink:
        if (operation.text.empty() || operation.text.find('\0') != std::string::npos) {
          return fault("unusable link at", destination);
        }
        add({"--symlink", operation.text, destination});
        return {};
      case OperationKind::copy:
        add({"--perms", "0600", lies_in_bind(index) ? "--bind-data" : "--file", AGENTCTL_TRY(next_copy(operation)),
             destination});
        return {};
      case OperationKind::data:
        if (lies_in_bind(index)) return fault("no place of ours for", destination);
        add({"--perms", octal(operation.mode != 0 ? operation.mode : 0444U), "--file",
             AGENTCTL_TRY(next_copy(operation)), destination});
        return {};
      case OperationKind::mask:
        return render_mask(operation);
      case OperationKind::remount_read_only:
        if (!operation.is_node) add({"--remount-ro", destination});
        return {};
    }
    return fault("unknown operation at", destination);
  }

  // A start places masks from outside, so that bwrap's limits do not count for them.
  Result<void> render_mask(const Operation& operation) {
    const std::size_t before = options_.size();
    const std::string& destination = operation.destination.str();
    if (operation.directory) {
      add({"--perms", octal(kMaskDirectoryMode), "--size", "4096", "--tmpfs", destination, "--remount-ro",
           destination});
    } else {
      add({"--perms", octal(kMaskFileMode), "--ro-bind-data", AGENTCTL_TRY(next_copy(operation)), destination});
    }
    mask_words_ += options_.size() - before;
    return {};
  }

  // Without --bind-fd the path is bound; that what is mounted is what we hold must be proven afterwards.
  Result<void> render_project(const Operation& operation) {
    const bool read_only = operation.access == Access::read_only;
    if (plan_.has_bind_fd && fds_.project >= 0) {
      add({read_only ? "--ro-bind-fd" : "--bind-fd", std::to_string(fds_.project), operation.destination.str()});
      return {};
    }
    AGENTCTL_TRY_VOID(check(operation.source.str()));
    add({read_only ? "--ro-bind" : "--bind", operation.source.str(), operation.destination.str()});
    return {};
  }

  Result<void> render_stage(const std::string& destination) {
    if (fds_.stage < 0) return {};
    if (plan_.has_bind_fd) {
      add({"--ro-bind-fd", std::to_string(fds_.stage), destination});
    } else {
      add({"--perms", "0555", "--ro-bind-data", std::to_string(fds_.stage), destination});
    }
    return {};
  }

  const Plan& plan_;
  const BwrapFds& fds_;
  const LateMounts& late_;
  std::vector<std::string> options_;
  std::size_t copies_used_ = 0;
  std::size_t mask_words_ = 0;
};

}  // namespace

Result<std::vector<std::string>> render_options(const Plan& plan, const BwrapFds& fds, const LateMounts& late) {
  return Renderer(plan, fds, late).render();
}

bool has_content(const Operation& operation) {
  return operation.kind == OperationKind::copy || operation.kind == OperationKind::data ||
         (operation.kind == OperationKind::mask && !operation.directory);
}

std::string join_nul(const std::vector<std::string>& options) {
  std::string out;
  for (const std::string& option : options) {
    out += option;
    out += '\0';
  }
  return out;
}

}  // namespace agentctl::bwrap
