// SPDX-License-Identifier: Apache-2.0
#include "bwrap/failure.h"

#include <unistd.h>

#include "base/file.h"
#include "base/text.h"

namespace agentctl::bwrap {
namespace {

std::string read_switch(const char* path) {
  const auto text = read_file(path);
  return text ? std::string(trim(*text)) : std::string();
}

bool mentions(std::string_view output, std::string_view text) { return output.find(text) != std::string_view::npos; }

}  // namespace

NamespaceSwitches read_namespace_switches() {
  NamespaceSwitches switches;
  switches.apparmor_restricts = read_switch("/proc/sys/kernel/apparmor_restrict_unprivileged_userns");
  switches.userns_clone = read_switch("/proc/sys/kernel/unprivileged_userns_clone");
  switches.max_user_namespaces = read_switch("/proc/sys/user/max_user_namespaces");
  switches.in_container = ::access("/.dockerenv", F_OK) == 0 || ::access("/run/.containerenv", F_OK) == 0;
  return switches;
}

Error explain_failure(std::string_view output, const NamespaceSwitches& switches) {
  const std::string text = printable(trim(output));
  const std::string raw = text.empty() ? std::string("it said nothing") : text;
  const bool about_namespaces = mentions(output, "uid map") || mentions(output, "namespace") ||
                                mentions(output, "RTM_NEWADDR") || mentions(output, "Operation not permitted");
  if (about_namespaces && switches.apparmor_restricts == "1") {
    return make_error(ErrorKind::environment,
                      cat("bwrap cannot build the sandbox: AppArmor restricts user namespaces: ", raw),
                      "give /usr/bin/bwrap an AppArmor profile with 'userns,', or (for every program): "
                      "sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0");
  }
  if (about_namespaces && (switches.userns_clone == "0" || switches.max_user_namespaces == "0")) {
    return make_error(ErrorKind::environment,
                      cat("bwrap cannot build the sandbox: user namespaces are disabled: ", raw),
                      switches.userns_clone == "0" ? "sudo sysctl kernel.unprivileged_userns_clone=1"
                                                   : "sudo sysctl user.max_user_namespaces=15000");
  }
  if (mentions(output, "mount proc")) {
    return make_error(ErrorKind::environment,
                      cat("bwrap cannot build the sandbox: this container masks parts of /proc: ", raw),
                      "run the container with an unmasked /proc (docker: --security-opt systempaths=unconfined)");
  }
  if (about_namespaces && switches.in_container) {
    return make_error(ErrorKind::environment,
                      cat("bwrap cannot build the sandbox: the container's own filter refuses new namespaces: ", raw),
                      "run the container with a seccomp profile that allows unshare and clone");
  }
  return make_error(ErrorKind::environment, cat("bwrap cannot build the sandbox: ", raw));
}

}  // namespace agentctl::bwrap
