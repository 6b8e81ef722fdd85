// SPDX-License-Identifier: Apache-2.0
#include "manager/probe/item.h"

namespace agentctl::probe {
namespace {

constexpr std::string_view kAbstract = "names belong to the network namespace: --unshare-net, or a Landlock scope";
constexpr std::string_view kPaths = "connect(2) ignores read-only mounts: never show /run, /tmp or the home";
constexpr std::string_view kNoBus = "no bus and no socket of systemd inside; a runtime directory of its own";
constexpr std::string_view kAgents = "no agent's socket inside, and its variable dropped";
constexpr std::string_view kDesktop = "no socket of the desktop inside, and a network namespace for abstract names";
constexpr std::string_view kNet = "--unshare-net, and let in what is needed";
constexpr std::string_view kIpc = "--unshare-ipc, and --dev for a /dev/shm of its own";

}  // namespace

const std::vector<Item>& endpoint_items() {
  static const std::vector<Item> items = {
      {"abstract-stream", "B1", "reach an abstract socket (stream)", "X11, buses, containerd-shim listen so",
       "CVE-2020-15257", kAbstract, Witness::effect, Opening::abstract_sockets},
      {"abstract-datagram", "B1", "reach an abstract socket (datagram)", "services listen so", "", kAbstract,
       Witness::effect, Opening::abstract_sockets},
      {"abstract-packet", "B1", "reach an abstract socket (seqpacket)", "services listen so", "", kAbstract,
       Witness::effect, Opening::abstract_sockets},
      {"socket-stream", "B2", "reach a socket by its path (stream)", "who connects has the authority of who answers",
       "", kPaths, Witness::effect},
      {"socket-datagram", "B2", "reach a socket by its path (datagram)", "journal and notify sockets are such", "",
       kPaths, Witness::effect},
      {"socket-packet", "B2", "reach a socket by its path (seqpacket)", "udev's control socket is such", "", kPaths,
       Witness::effect},
      {"socket-runtime", "B2", "reach a socket in the user's runtime directory", "buses, agents and sound live there",
       "", "a private tmpfs as XDG_RUNTIME_DIR", Witness::effect},
      {"socket-tmp", "B2", "reach a socket in /tmp", "tmux, X11, old agents live there", "", "--tmpfs /tmp",
       Witness::effect},
      {"socket-project", "B2", "reach a socket that is served in the project", "a program of the user's does it there",
       "", "find what is served by /proc/net/unix, and cover it", Witness::effect},
      {"sockets-in-view", "B2", "see a socket of the host at all", "what is seen can be connected to", "", kPaths},
      {"session-bus", "B3", "reach the session bus",
       "starts units, sets the environment of services: runs code outside", "", kNoBus},
      {"user-manager", "B4", "reach the user's service manager", "systemd-run --user without a bus", "", kNoBus},
      {"system-bus", "B5", "reach the system bus, or systemd's sockets", "polkit lets active users do much", "",
       kNoBus},
      {"journal", "B4", "write to the host's journal", "forges what other services say", "", kPaths},
      {"containers", "B6", "reach docker, podman, libvirt, lxd and the like", "the same as being root or the user", "",
       kPaths},
      {"ssh-agent", "B7", "reach the ssh agent", "logs in with every key of the user's", "", kAgents, Witness::report,
       Opening::ssh_agent},
      {"gpg-agent", "B7", "reach the gpg agent or the keyring", "signs and decrypts", "", kAgents, Witness::report,
       Opening::gpg_agent},
      {"x11", "B8", "reach an X server", "reads every key, types for the user", "", kDesktop, Witness::report,
       Opening::abstract_sockets},
      {"wayland", "B8", "reach a Wayland compositor", "clipboard, with many compositors screen and keys", "", kDesktop,
       Witness::report, Opening::wayland},
      {"sound", "B9", "reach the sound server", "the microphone, and modules that run programs", "", kDesktop},
      {"accessibility", "B10", "reach the accessibility bus", "reads and drives other programs", "", kDesktop},
      {"terminals", "B12", "reach terminal multiplexers and editors", "they type and run what they are told", "",
       "a list of variables that are passed, and no socket of theirs"},
      {"services", "B15", "reach printing, databases and name services", "what they do for local users", "", kPaths},
      {"loopback-tcp", "B15", "reach a service on 127.0.0.1", "databases, debuggers, model servers trust local users",
       "", kNet, Witness::effect, Opening::network},
      {"loopback-tcp6", "B15", "reach a service on ::1", "as on 127.0.0.1", "", kNet, Witness::effect,
       Opening::network},
      {"loopback-udp", "B15", "reach a service on 127.0.0.1 by UDP", "name servers, logs", "", kNet, Witness::effect,
       Opening::network},
      {"sysv-memory", "B13", "read shared memory of the host (System V)", "databases and X clients share so", "", kIpc,
       Witness::secret},
      {"sysv-queue", "B13", "write a message queue of the host (System V)", "speaks to who reads it", "", kIpc,
       Witness::effect},
      {"posix-memory", "B13", "read shared memory of the host (POSIX)", "browsers and databases share so", "", kIpc,
       Witness::secret},
      {"posix-queue", "B13", "write a message queue of the host (POSIX)", "speaks to who reads it", "", kIpc,
       Witness::effect},
      {"socket-vsock", "B14", "make a socket of a virtual machine's", "not tied to the network namespace", "",
       "refuse AF_VSOCK by seccomp"},
  };
  return items;
}

}  // namespace agentctl::probe
