// SPDX-License-Identifier: Apache-2.0
#include "bwrap/opening.h"

#include <algorithm>

#include <doctest/doctest.h>

#include "base/text.h"
#include "bwrap/argv.h"
#include "bwrap/gpg_socket_directory.h"
#include "bwrap/plan_builder.h"
#include "tests/unit/bwrap/sample_machine.h"

namespace agentctl::bwrap {
namespace {

policy::Policy policy_with(const std::vector<std::string>& sockets, const std::vector<std::string>& devices = {}) {
  policy::Policy policy = sample_policy();
  policy.allow.sockets = entries(sockets);
  policy.allow.devices = entries(devices);
  return policy;
}

Result<Plan> plan_of(const SampleMachine& machine, const policy::Policy& policy) {
  return build_plan(policy, machine.facts(policy));
}

const Operation* at(const Plan& plan, const std::string& destination) {
  for (const Operation& operation : plan.operations) {
    const bool is_mount = operation.kind != OperationKind::remount_read_only;
    if (is_mount && operation.destination.str() == destination) return &operation;
  }
  return nullptr;
}

std::string value_in(const Plan& plan, const std::string& name) {
  for (const std::string& variable : plan.environment) {
    if (variable.starts_with(name + "=")) return variable.substr(name.size() + 1);
  }
  return "(unset)";
}

std::string warnings_of(const Plan& plan) { return join(plan.warnings, "\n"); }

bool warns(const Plan& plan, std::string_view text) { return warnings_of(plan).find(text) != std::string::npos; }

SampleMachine machine_with_agents() {
  SampleMachine machine = SampleMachine::debian();
  machine.socket("/tmp/ssh-x/agent.7").socket("/run/user/1000/wayland-1").file("/home/ada/.ssh/known_hosts");
  machine.file("/home/ada/.ssh/id_ed25519").file("/home/ada/.ssh/config");
  machine.socket("/run/user/1000/gnupg/S.gpg-agent").socket("/run/user/1000/gnupg/S.gpg-agent.extra");
  machine.file("/home/ada/.gnupg/pubring.kbx").file("/home/ada/.gnupg/trustdb.gpg");
  machine.file("/home/ada/.gnupg/private-keys-v1.d/k.key");
  machine.environment["SSH_AUTH_SOCK"] = "/tmp/ssh-x/agent.7";
  machine.environment["WAYLAND_DISPLAY"] = "wayland-1";
  machine.environment["XDG_RUNTIME_DIR"] = "/run/user/1000";
  return machine;
}

TEST_SUITE("opening") {
  TEST_CASE("without a word of the policy no endpoint of the host is in the plan or the environment") {
    const Plan plan = plan_of(machine_with_agents(), sample_policy()).value();
    for (const Operation& operation : plan.operations) {
      CHECK_FALSE(operation.source.str().starts_with("/tmp/ssh-x"));
      CHECK_FALSE(operation.source.str().starts_with("/run/user"));
      CHECK(operation.kind != OperationKind::bind_device);
    }
    for (const char* name : {"SSH_AUTH_SOCK", "WAYLAND_DISPLAY", "GNUPGHOME"})
      CHECK_EQ(value_in(plan, name), "(unset)");
    CHECK_FALSE(plan.nested);
    CHECK_EQ(plan.warnings.size(), 1);
  }

  TEST_CASE("GIT-06 ssh-agent binds the socket alone, shows known_hosts and config, and no key") {
    const Plan plan = plan_of(machine_with_agents(), policy_with({"ssh-agent"})).value();
    const Operation* socket = at(plan, "/run/user/1000/ssh-agent.sock");
    REQUIRE(socket != nullptr);
    CHECK_EQ(socket->source.str(), "/tmp/ssh-x/agent.7");
    CHECK_EQ(value_in(plan, "SSH_AUTH_SOCK"), "/run/user/1000/ssh-agent.sock");
    REQUIRE(at(plan, "/home/ada/.ssh/known_hosts") != nullptr);
    CHECK(at(plan, "/home/ada/.ssh/known_hosts")->access == Access::read_only);
    CHECK(at(plan, "/home/ada/.ssh/config") != nullptr);
    CHECK(at(plan, "/home/ada/.ssh/id_ed25519") == nullptr);
    CHECK(at(plan, "/home/ada/.ssh") == nullptr);
    CHECK(at(plan, "/run/user/1000/gnupg") == nullptr);
    CHECK(warns(plan, "log in and sign as you with every key in it"));
  }

  TEST_CASE("GIT-07 a socket that is not there is told, and the session starts without it") {
    SampleMachine machine = machine_with_agents();
    machine.environment["SSH_AUTH_SOCK"] = "/tmp/gone/agent.1";
    const Plan gone = plan_of(machine, policy_with({"ssh-agent"})).value();
    CHECK(warns(gone, "SSH_AUTH_SOCK names '/tmp/gone/agent.1', which does not exist"));
    CHECK_EQ(value_in(gone, "SSH_AUTH_SOCK"), "(unset)");
    CHECK(at(gone, "/home/ada/.ssh/config") == nullptr);
    machine.environment["SSH_AUTH_SOCK"] = "/etc/passwd";
    CHECK(warns(plan_of(machine, policy_with({"ssh-agent"})).value(), "which is no socket"));
    machine.environment["SSH_AUTH_SOCK"] = "agent.1";
    CHECK(warns(plan_of(machine, policy_with({"ssh-agent"})).value(), "which is no absolute path"));
    machine.environment.erase("SSH_AUTH_SOCK");
    CHECK(warns(plan_of(machine, policy_with({"ssh-agent"})).value(), "SSH_AUTH_SOCK is not set"));
  }

  TEST_CASE("a socket that an agent could have put into the project is refused, also behind a link") {
    SampleMachine machine = machine_with_agents();
    machine.socket("/home/ada/shop/agent.sock").link("/tmp/ssh-y", "/home/ada/shop/agent.sock");
    for (const char* named : {"/home/ada/shop/agent.sock", "/tmp/ssh-y"}) {
      machine.environment["SSH_AUTH_SOCK"] = named;
      const Result<Plan> plan = plan_of(machine, policy_with({"ssh-agent"}));
      REQUIRE_FALSE(plan.has_value());
      CHECK(plan.error().kind == ErrorKind::policy);
      CHECK(plan.error().message.find("it lies in the project") != std::string::npos);
    }
  }

  TEST_CASE("a socket below what the policy makes writable is refused as well") {
    SampleMachine machine = machine_with_agents();
    machine.socket("/home/ada/.tool/agent.sock").environment["SSH_AUTH_SOCK"] = "/home/ada/.tool/agent.sock";
    policy::Policy policy = policy_with({"ssh-agent"});
    CHECK(plan_of(machine, policy).has_value());
    policy.files.read_write = entries({"~/.tool"});
    const Result<Plan> plan = plan_of(machine, policy);
    REQUIRE_FALSE(plan.has_value());
    CHECK(plan.error().message.find("it lies in '~/.tool', which is read-write") != std::string::npos);
  }

  TEST_CASE("GIT-06 gpg-agent binds the extra socket as the main one, and of the keys the public ones") {
    const Plan plan = plan_of(machine_with_agents(), policy_with({"gpg-agent"})).value();
    const Operation* socket = at(plan, "/run/user/1000/gnupg/S.gpg-agent");
    REQUIRE(socket != nullptr);
    CHECK_EQ(socket->source.str(), "/run/user/1000/gnupg/S.gpg-agent.extra");
    REQUIRE(at(plan, "/run/user/1000/gnupg") != nullptr);
    CHECK_EQ(at(plan, "/run/user/1000/gnupg")->mode, 0700);
    REQUIRE(at(plan, "/home/ada/.gnupg") != nullptr);
    CHECK(at(plan, "/home/ada/.gnupg")->kind == OperationKind::tmpfs);
    for (const char* name : {"/home/ada/.gnupg/pubring.kbx", "/home/ada/.gnupg/trustdb.gpg"}) {
      REQUIRE(at(plan, name) != nullptr);
      CHECK(at(plan, name)->access == Access::read_only);
    }
    for (const Operation& operation : plan.operations) {
      CHECK(operation.source.str().find("private-keys") == std::string::npos);
    }
    CHECK_EQ(value_in(plan, "GNUPGHOME"), "(unset)");
    CHECK(warns(plan, "sign and decrypt with every key"));
  }

  TEST_CASE("another GnuPG home keeps its name, and its socket is found in it") {
    SampleMachine machine = machine_with_agents();
    machine.file("/srv/keys/pubring.kbx").socket("/srv/keys/S.gpg-agent.extra");
    machine.environment["GNUPGHOME"] = "/srv/keys/";
    const Plan plan = plan_of(machine, policy_with({"gpg-agent"})).value();
    CHECK_EQ(value_in(plan, "GNUPGHOME"), "/srv/keys");
    CHECK(at(plan, "/srv/keys/pubring.kbx") != nullptr);
    const std::string directory = gpg_socket_directory(1000, "/srv/keys", "/home/ada/.gnupg");
    REQUIRE(at(plan, directory + "/S.gpg-agent") != nullptr);
    CHECK_EQ(at(plan, directory + "/S.gpg-agent")->source.str(), "/srv/keys/S.gpg-agent.extra");
    CHECK_EQ(at(plan, directory)->mode, 0700);
  }

  TEST_CASE("homes of ssh and GnuPG that are links into a directory of dotfiles are shown under both names") {
    SampleMachine machine = machine_with_agents();
    for (const char* path :
         {"/home/ada/.ssh/known_hosts", "/home/ada/.ssh/id_ed25519", "/home/ada/.ssh/config", "/home/ada/.ssh",
          "/home/ada/.gnupg/pubring.kbx", "/home/ada/.gnupg/trustdb.gpg", "/home/ada/.gnupg/private-keys-v1.d/k.key",
          "/home/ada/.gnupg/private-keys-v1.d", "/home/ada/.gnupg"}) {
      machine.remove(path);
    }
    machine.link("/home/ada/.ssh", "dotfiles/ssh").link("/home/ada/.gnupg", "dotfiles/gnupg");
    machine.file("/home/ada/dotfiles/ssh/known_hosts").file("/home/ada/dotfiles/ssh/id_rsa");
    machine.file("/home/ada/dotfiles/gnupg/pubring.kbx").file("/home/ada/dotfiles/notes");
    const Plan plan = plan_of(machine, policy_with({"ssh-agent", "gpg-agent"})).value();
    for (const char* link : {"/home/ada/.ssh", "/home/ada/.gnupg"}) {
      REQUIRE(at(plan, link) != nullptr);
      CHECK(at(plan, link)->kind == OperationKind::symlink);
    }
    CHECK(at(plan, "/home/ada/dotfiles/ssh/known_hosts") != nullptr);
    CHECK(at(plan, "/home/ada/dotfiles/ssh/id_rsa") == nullptr);
    REQUIRE(at(plan, "/home/ada/dotfiles/gnupg") != nullptr);
    CHECK(at(plan, "/home/ada/dotfiles/gnupg")->kind == OperationKind::tmpfs);
    CHECK(at(plan, "/home/ada/dotfiles/gnupg/pubring.kbx") != nullptr);
    CHECK(at(plan, "/home/ada/dotfiles/notes") == nullptr);
  }

  TEST_CASE("a GnuPG home without an agent is told; keyboxd is told; one in or above the project is refused") {
    SampleMachine machine = machine_with_agents();
    machine.file("/home/ada/.gnupg/public-keys.d/pubring.db");
    CHECK(warns(plan_of(machine, policy_with({"gpg-agent"})).value(), "keyboxd holds your public keys"));
    machine.remove("/run/user/1000/gnupg/S.gpg-agent.extra");
    const Plan plan = plan_of(machine, policy_with({"gpg-agent"})).value();
    CHECK(warns(plan, "gpgconf --launch gpg-agent"));
    CHECK(at(plan, "/home/ada/.gnupg/pubring.kbx") == nullptr);
    machine.directory("/home/ada/shop/keys");
    for (const char* home : {"/home/ada/shop/keys", "/home/ada"}) {
      machine.environment["GNUPGHOME"] = home;
      CHECK_FALSE(plan_of(machine, policy_with({"gpg-agent"})).has_value());
    }
    machine.environment["GNUPGHOME"] = "relative";
    CHECK(warns(plan_of(machine, policy_with({"gpg-agent"})).value(), "there is no directory 'relative'"));
  }

  TEST_CASE("the socket directory of another GnuPG home is the one that gpgconf names") {
    CHECK_EQ(gpg_socket_directory(1000, "/home/ada/.gnupg", "/home/ada/.gnupg"), "/run/user/1000/gnupg");
    // gpgconf --homedir /tmp/optgpg --list-dirs socketdir
    CHECK_EQ(gpg_socket_directory(0, "/tmp/optgpg", "/root/.gnupg"), "/run/user/0/gnupg/d.rhnacd8er5b66kzqgf3mahag");
  }

  TEST_CASE("TOOL-16 wayland binds the display's socket, under a path or a name, and X11 never comes with it") {
    SampleMachine machine = machine_with_agents();
    machine.socket("/tmp/.X11-unix/X0").environment["DISPLAY"] = ":0.1";
    for (const char* display : {"wayland-1", "/run/user/1000/wayland-1"}) {
      machine.environment["WAYLAND_DISPLAY"] = display;
      const Plan plan = plan_of(machine, policy_with({"wayland"})).value();
      REQUIRE(at(plan, "/run/user/1000/wayland-0") != nullptr);
      CHECK_EQ(at(plan, "/run/user/1000/wayland-0")->source.str(), "/run/user/1000/wayland-1");
      CHECK_EQ(value_in(plan, "WAYLAND_DISPLAY"), "wayland-0");
      CHECK_EQ(value_in(plan, "DISPLAY"), "(unset)");
      CHECK(warns(plan, "clipboard"));
    }
    for (const char* display : {"../1000/bus", "nothing"}) {
      machine.environment["WAYLAND_DISPLAY"] = display;
      CHECK(at(plan_of(machine, policy_with({"wayland"})).value(), "/run/user/1000/wayland-0") == nullptr);
    }
  }

  TEST_CASE("TOOL-14 gpu shows the nodes that the host has and their description, and is told where it has none") {
    SampleMachine machine = SampleMachine::debian();
    const Plan none = plan_of(machine, policy_with({}, {"gpu", "kvm"})).value();
    CHECK(warns(none, "gpu is allowed, but the session has none"));
    CHECK(warns(none, "kvm is allowed, but the session has none"));
    machine.device("/dev/dri/card0").device("/dev/dri/renderD128").device("/dev/nvidia0").device("/dev/snd/pcm");
    machine.link("/dev/dri/renderD129", "/dev/sda").device("/dev/sda");
    machine.directory("/sys/devices/pci0000:00/0000:00:02.0/drm/renderD128").directory("/sys/dev/char");
    machine.link("/sys/dev/char/226:128", "../../devices/pci0000:00/0000:00:02.0/drm/renderD128");
    machine.link("/sys/devices/pci0000:00/0000:00:02.0/drm/renderD128/device", "../../../0000:00:02.0");
    const Plan plan = plan_of(machine, policy_with({}, {"gpu"})).value();
    std::vector<std::string> nodes;
    for (const Operation& operation : plan.operations) {
      if (operation.kind == OperationKind::bind_device) nodes.push_back(operation.destination.str());
    }
    std::sort(nodes.begin(), nodes.end());
    CHECK_EQ(nodes, std::vector<std::string>{"/dev/dri/card0", "/dev/dri/renderD128", "/dev/nvidia0"});
    REQUIRE(at(plan, "/sys/devices/pci0000:00/0000:00:02.0") != nullptr);
    CHECK(at(plan, "/sys/devices/pci0000:00/0000:00:02.0")->access == Access::read_only);
    REQUIRE(at(plan, "/sys/dev/char/226:128") != nullptr);
    CHECK(at(plan, "/sys/dev/char/226:128")->kind == OperationKind::symlink);
    CHECK(at(plan, "/dev/snd/pcm") == nullptr);
    CHECK(warns(plan, "gpu is let in (/dev/nvidia0, /dev/dri/card0, /dev/dri/renderD128)"));
  }

  TEST_CASE("nested alone leaves out what forbids user namespaces, and says so") {
    policy::Policy policy = sample_policy();
    policy.allow.nested = policy::Setting<bool>{true, {}};
    const Plan nested = plan_of(SampleMachine::debian(), policy).value();
    CHECK(warns(nested, "nested is allowed"));
    const std::string open = join(render_options(nested, {}).value(), " ");
    CHECK(open.find("--disable-userns") == std::string::npos);
    CHECK(open.find("--unshare-user") != std::string::npos);
    SampleMachine root = SampleMachine::debian();
    root.uid = 0;
    const Result<Plan> refused = plan_of(root, policy);
    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().message.find("nested is not for root") != std::string::npos);
    policy.allow.nested->value = false;
    const std::string closed = join(render_options(plan_of(SampleMachine::debian(), policy).value(), {}).value(), " ");
    CHECK(closed.find("--disable-userns --assert-userns-disabled") != std::string::npos);
  }
}

}  // namespace
}  // namespace agentctl::bwrap
