// SPDX-License-Identifier: Apache-2.0
#include "bwrap/system_layout.h"

#include <utility>

#include "base/text.h"
#include "bwrap/plan_builder.h"

namespace agentctl::bwrap {
namespace {

constexpr const char* kOrigin = "built-in default";
constexpr const char* kResolvConf = "/etc/resolv.conf";
constexpr const char* kHosts = "/etc/hosts";
constexpr std::uint64_t kRuntimeBytes = 64ULL << 20;
constexpr std::uint64_t kEtcBytes = 1ULL << 20;  // mount points and links only
constexpr std::uint32_t kSharedMode = 01777;
constexpr std::uint32_t kPrivateMode = 0700;
constexpr std::uint32_t kSystemMode = 0755;

// What bwrap binds from the host's /dev (bubblewrap.c, SETUP_MOUNT_DEV).
const std::vector<std::string> kDeviceNodes = {"/dev/null",   "/dev/zero",    "/dev/full",
                                               "/dev/random", "/dev/urandom", "/dev/tty"};

const std::vector<std::string> kTemporary = {"/tmp", "/var/tmp"};

// Read by libraries and shells, and holding no secret. Of /etc/ssl and /etc/pki only the public parts: the rest may
// hold private keys, which root can read.
const std::vector<std::string> kShownFiles = {
    "/usr/local", "/run/current-system", "/run/wrappers", "/run/opengl-driver",
    // names and network
    "/etc/passwd", "/etc/group", "/etc/nsswitch.conf", "/etc/hosts", "/etc/host.conf", "/etc/gai.conf", "/etc/services",
    "/etc/protocols", "/etc/networks", "/etc/rpc", "/etc/ethers",
    // certificates
    "/etc/ssl/certs", "/etc/ssl/openssl.cnf", "/etc/ssl/cert.pem", "/etc/ca-certificates", "/etc/crypto-policies",
    "/etc/pki/tls/certs", "/etc/pki/tls/cert.pem", "/etc/pki/tls/openssl.cnf", "/etc/pki/ca-trust",
    // loader, alternatives, what distributions link programs through
    "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/alternatives", "/etc/static", "/etc/os-release",
    "/etc/debian_version", "/etc/lsb-release", "/etc/redhat-release",
    // language, time, terminal
    "/etc/localtime", "/etc/timezone", "/etc/locale.alias", "/etc/locale.conf", "/etc/default/locale", "/etc/terminfo",
    "/etc/inputrc", "/etc/mime.types", "/etc/magic", "/etc/fonts", "/etc/xdg",
    // shells and tools
    "/etc/profile", "/etc/profile.d", "/etc/bash.bashrc", "/etc/bashrc", "/etc/bash_completion",
    "/etc/bash_completion.d", "/etc/zsh", "/etc/zshenv", "/etc/zshrc", "/etc/fish", "/etc/shells", "/etc/gitconfig",
    "/etc/vim", "/etc/nanorc", "/etc/screenrc", "/etc/manpath.config", "/etc/python3", "/etc/perl",
    "/etc/java-8-openjdk", "/etc/java-11-openjdk", "/etc/java-17-openjdk", "/etc/java-21-openjdk",
    "/etc/java-25-openjdk", "/etc/maven", "/etc/R"};

void show(const PathFact& fact, Layout& layout) {
  layout.want_links(fact, kOrigin);
  layout.want(bind_want(fact, Access::read_only, Rank::built_in, kOrigin));
}

void add_fresh(OperationKind kind, const std::string& path, bool stands_on_host, std::uint64_t size, std::uint32_t mode,
               Layout& layout) {
  Want want;
  want.operation.kind = kind;
  want.operation.destination = SandboxPath(path);
  want.operation.access = Access::read_write;
  want.operation.size = size;
  want.operation.mode = mode;
  want.operation.origin = kOrigin;
  want.stands_on_host = stands_on_host;
  layout.want(std::move(want));
}

// The file itself at the place to which /etc/resolv.conf leads, mostly below /run, and the links to it made again.
Result<void> add_resolver(const HostFacts& facts, Layout& layout, std::vector<std::string>& warnings) {
  const PathFact& fact = *AGENTCTL_TRY(find_fact(facts, kResolvConf));
  if (fact.kind == PathKind::file) {
    show(fact, layout);
  } else if (!fact.links.empty()) {
    warnings.push_back(cat("network: '", kResolvConf, "' leads to '", printable(fact.links.back().target),
                           "', which is no file: names may not be found"));
  }
  return {};
}

void add_text(const char* path, const char* text, Layout& layout) {
  Want want;
  want.operation.kind = OperationKind::data;
  want.operation.destination = SandboxPath(path);
  want.operation.text = text;
  want.operation.origin = kOrigin;
  layout.want(std::move(want));
}

// egress/name_service.h answers there, or egress/door.h. What the host's own list of names says leads past a door: the
// addresses in it are reached by nobody inside, and the door asks for names where that list counts. Programs look up
// the session's own name (Plan::hostname), too.
void add_own_names(policy::NetworkMode network, Layout& layout) {
  add_text(kResolvConf, "# agentctl: names are asked for outside\nnameserver 127.0.0.1\noptions edns0 trust-ad\n",
           layout);
  if (network != policy::NetworkMode::allowlist) return;
  add_text(kHosts, "127.0.0.1 localhost agentctl\n::1 localhost ip6-localhost ip6-loopback\n", layout);
}

}  // namespace

Result<const PathFact*> find_fact(const HostFacts& facts, const std::string& name) {
  const auto entry = facts.paths.find(name);
  if (entry != facts.paths.end()) return &entry->second;
  return make_error(ErrorKind::internal, cat("cannot plan the sandbox: nothing is known of '", printable(name), "'"));
}

std::string runtime_directory(uid_t uid) { return cat("/run/user/", uid); }

const std::vector<std::string>& root_entry_names() {
  static const std::vector<std::string> names = {"/usr",   "/bin",    "/sbin", "/lib", "/lib32",
                                                 "/lib64", "/libx32", "/opt",  "/nix", "/gnu"};
  return names;
}

const std::vector<std::string>& system_path_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all = kShownFiles;
    all.insert(all.end(), kTemporary.begin(), kTemporary.end());
    all.emplace_back(kResolvConf);
    all.emplace_back("/proc/keys");  // plan_builder.cpp hides it
    return all;
  }();
  return names;
}

Result<void> add_system_layout(const HostFacts& facts, const SystemChoice& choice, Layout& layout,
                               std::vector<std::string>& warnings) {
  for (const PathFact& fact : facts.root_entries) {
    if (fact.kind == PathKind::directory) show(fact, layout);
  }
  for (const std::string& name : kShownFiles) {
    if (name == kHosts && choice.network == policy::NetworkMode::allowlist) continue;
    const PathFact& fact = *AGENTCTL_TRY(find_fact(facts, name));
    if (fact.kind == PathKind::file || fact.kind == PathKind::directory) show(fact, layout);
  }
  add_fresh(OperationKind::tmpfs, "/etc", true, kEtcBytes, kSystemMode, layout);
  layout.seal("/etc");
  if (choice.network == policy::NetworkMode::host) AGENTCTL_TRY_VOID(add_resolver(facts, layout, warnings));
  const bool has_own_names =
      choice.network == policy::NetworkMode::nat || choice.network == policy::NetworkMode::allowlist;
  if (has_own_names) add_own_names(choice.network, layout);

  add_fresh(OperationKind::proc, "/proc", true, 0, 0, layout);
  // What is below /proc/sys asks for uid 0, not for a capability: a session of root's could set core_pattern.
  if (facts.uid == 0) layout.seal("/proc");
  add_fresh(OperationKind::dev, "/dev", true, 0, 0, layout);
  layout.seal("/dev");
  // Root's session is who owns them: it could make /dev/null of the whole machine unreadable.
  if (facts.uid == 0) layout.seal_devices(kDeviceNodes);
  add_fresh(OperationKind::tmpfs, "/dev/shm", true, choice.tmpfs_bytes, kSharedMode, layout);
  for (const std::string& name : kTemporary) {
    const PathFact& fact = *AGENTCTL_TRY(find_fact(facts, name));
    const bool present = fact.kind == PathKind::directory;
    layout.want_links(present ? fact : PathFact{}, kOrigin);
    add_fresh(OperationKind::tmpfs, present ? fact.canonical.str() : name, present, choice.tmpfs_bytes, kSharedMode,
              layout);
  }
  add_fresh(OperationKind::tmpfs, runtime_directory(facts.uid), false, kRuntimeBytes, kPrivateMode, layout);

  Want stage;
  stage.operation.kind = OperationKind::bind_stage;
  stage.operation.destination = SandboxPath(kStagePath);
  stage.operation.origin = kOrigin;
  stage.stands_on_host = false;
  layout.want(std::move(stage));
  return {};
}

}  // namespace agentctl::bwrap
