// SPDX-License-Identifier: Apache-2.0
// Attempts to reach what answers on the host: sockets by name, by path and by port. Who can connect has the authority
// of what answers. The host half's own listeners take the byte; services of the host are connected to and left at once.
#include <arpa/inet.h>
#include <dirent.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

#include "manager/probe/inside/attempt.h"

namespace agentctl::probe {
namespace {

// An address of at most sizeof(sun_path) bytes; `abstract`: in the namespace of names.
long reach(int type, const char* name, bool abstract, bool writes) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::size_t offset = abstract ? 1 : 0;
  const std::size_t length = std::strlen(name);
  if (length + offset >= sizeof address.sun_path) {
    errno = ENAMETOOLONG;
    return -1;
  }
  std::memcpy(address.sun_path + offset, name, length);
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + offset + length + (abstract ? 0 : 1));
  const int fd = ::socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return -1;
  long done = ::connect(fd, reinterpret_cast<const sockaddr*>(&address), size);
  if (done == 0 && writes) done = ::send(fd, "Z", 1, MSG_NOSIGNAL);
  const int error = errno;
  ::close(fd);
  errno = error;
  return done;
}

void by_name(Outcome& outcome, const char* key, int type, bool abstract) {
  if (!is_told(key)) return skip(outcome, "no such listener was made");
  by_success(outcome, reach(type, told(key), abstract, true));
}

void abstract_stream(Outcome& outcome) { by_name(outcome, "abstract-stream", SOCK_STREAM, true); }
void abstract_datagram(Outcome& outcome) { by_name(outcome, "abstract-datagram", SOCK_DGRAM, true); }
void abstract_packet(Outcome& outcome) { by_name(outcome, "abstract-packet", SOCK_SEQPACKET, true); }
void socket_stream(Outcome& outcome) { by_name(outcome, "socket-stream", SOCK_STREAM, false); }
void socket_datagram(Outcome& outcome) { by_name(outcome, "socket-datagram", SOCK_DGRAM, false); }
void socket_packet(Outcome& outcome) { by_name(outcome, "socket-packet", SOCK_SEQPACKET, false); }
void socket_runtime(Outcome& outcome) { by_name(outcome, "socket-runtime", SOCK_STREAM, false); }
void socket_project(Outcome& outcome) { by_name(outcome, "socket-project", SOCK_STREAM, false); }
void socket_tmp(Outcome& outcome) { by_name(outcome, "socket-tmp", SOCK_STREAM, false); }

void by_port(Outcome& outcome, const char* key, int family, int type) {
  if (!is_told(key)) return skip(outcome, "no such listener could be made");
  sockaddr_in6 six{};
  sockaddr_in four{};
  four.sin_family = AF_INET;
  six.sin6_family = AF_INET6;
  four.sin_port = six.sin6_port = htons(static_cast<unsigned short>(told_number(key)));
  four.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  six.sin6_addr = in6addr_loopback;
  const int fd = ::socket(family, type | SOCK_CLOEXEC, 0);
  if (fd < 0) return by_success(outcome, -1);
  const bool is_six = family == AF_INET6;
  const long connected = is_six ? ::connect(fd, reinterpret_cast<const sockaddr*>(&six), sizeof six)
                                : ::connect(fd, reinterpret_cast<const sockaddr*>(&four), sizeof four);
  by_success(outcome, connected != 0 ? -1 : ::send(fd, "Z", 1, MSG_NOSIGNAL));
}

void loopback_tcp(Outcome& outcome) { by_port(outcome, "loopback-tcp", AF_INET, SOCK_STREAM); }
void loopback_tcp6(Outcome& outcome) { by_port(outcome, "loopback-tcp6", AF_INET6, SOCK_STREAM); }
void loopback_udp(Outcome& outcome) { by_port(outcome, "loopback-udp", AF_INET, SOCK_DGRAM); }

// What of a list of sockets of the host answers: "$R" is the user's runtime directory there, "~" the home, "$V:NAME" a
// variable that holds a path, "@" an abstract name.
class Knocking {
 public:
  explicit Knocking(Outcome& outcome) : outcome_(outcome) {}

  void knock(const char* place) {
    char path[256];
    if (!expand(place, path, sizeof path)) return;
    const bool abstract = path[0] == '@';
    for (const int type : {SOCK_STREAM, SOCK_DGRAM, SOCK_SEQPACKET}) {
      if (reach(type, path + (abstract ? 1 : 0), abstract, false) != 0) {
        if (errno != EPROTOTYPE) return;
        continue;
      }
      add_word(reached_, sizeof reached_, path);
      return;
    }
  }

  void tell() const {
    if (reached_[0] == 0) return blocked(outcome_, "none answers");
    open_wall(outcome_, "%s", reached_);
  }

 private:
  static bool expand(const char* place, char* path, std::size_t size) {
    if (std::strncmp(place, "$V:", 3) == 0) {
      const char* value = std::getenv(place + 3);
      if (value == nullptr || *value == 0) return false;
      const char* from = std::strstr(value, "path=") != nullptr ? std::strstr(value, "path=") + 5 : value;
      if (std::strncmp(from, "unix://", 7) == 0) from += 7;
      if (std::strncmp(from, "unix:", 5) == 0) from += 5;
      std::snprintf(path, size, "%.*s", static_cast<int>(std::strcspn(from, ",;")), from);
      return path[0] == '/';
    }
    if (std::strncmp(place, "$R", 2) == 0) {
      std::snprintf(path, size, "%s%s", told("runtime"), place + 2);
      return is_told("runtime");
    }
    if (place[0] == '~') {
      std::snprintf(path, size, "%s%s", told("home"), place + 1);
      return is_told("home");
    }
    std::snprintf(path, size, "%s", place);
    return true;
  }

  Outcome& outcome_;
  char reached_[220] = "";
};

template <std::size_t N>
void knock_at(Outcome& outcome, const char* const (&places)[N]) {
  Knocking knocking(outcome);
  for (const char* place : places) knocking.knock(place);
  knocking.tell();
}

void session_bus(Outcome& outcome) { knock_at(outcome, {"$R/bus", "$V:DBUS_SESSION_BUS_ADDRESS", "$R/dbus-1/bus"}); }
void user_manager(Outcome& outcome) { knock_at(outcome, {"$R/systemd/private", "$R/systemd/notify"}); }
void system_bus(Outcome& outcome) {
  knock_at(outcome, {"/run/dbus/system_bus_socket", "/run/systemd/private", "/run/systemd/notify",
                     "/run/systemd/userdb/io.systemd.DynamicUser", "/run/systemd/io.systemd.Manager"});
}
void journal(Outcome& outcome) {
  knock_at(outcome,
           {"/run/systemd/journal/stdout", "/run/systemd/journal/socket", "/run/systemd/journal/dev-log", "/dev/log"});
}
void containers(Outcome& outcome) {
  knock_at(outcome, {"/run/docker.sock", "$R/docker.sock", "~/.docker/run/docker.sock", "~/.docker/desktop/docker.sock",
                     "$V:DOCKER_HOST", "/run/podman/podman.sock", "$R/podman/podman.sock",
                     "/run/containerd/containerd.sock", "/run/crio/crio.sock", "/run/buildkit/buildkitd.sock",
                     "$R/buildkit/buildkitd.sock", "/run/libvirt/libvirt-sock", "/run/libvirt/virtqemud-sock",
                     "$R/libvirt/libvirt-sock", "/var/snap/lxd/common/lxd/unix.socket", "/var/lib/incus/unix.socket",
                     "/run/snapd.socket", "/nix/var/nix/daemon-socket/socket", "/run/qemu-ga.sock"});
}
void ssh_agent(Outcome& outcome) {
  knock_at(outcome, {"$V:SSH_AUTH_SOCK", "$R/keyring/ssh", "$R/ssh-agent.socket", "$R/openssh_agent", "$R/gcr/ssh",
                     "$R/gnupg/S.gpg-agent.ssh"});
}
void gpg_agent(Outcome& outcome) {
  knock_at(outcome, {"$R/gnupg/S.gpg-agent", "$R/gnupg/S.gpg-agent.extra", "~/.gnupg/S.gpg-agent",
                     "~/.gnupg/S.gpg-agent.extra", "$R/gnupg/S.scdaemon", "$R/keyring/control"});
}
void x11(Outcome& outcome) {
  knock_at(outcome, {"/tmp/.X11-unix/X0", "/tmp/.X11-unix/X1", "/tmp/.X11-unix/X2", "@/tmp/.X11-unix/X0",
                     "@/tmp/.X11-unix/X1", "@/tmp/.X11-unix/X2", "/tmp/.ICE-unix/0"});
}
void wayland(Outcome& outcome) { knock_at(outcome, {"$R/wayland-0", "$R/wayland-1"}); }
void sound(Outcome& outcome) { knock_at(outcome, {"$R/pulse/native", "$R/pipewire-0", "$R/pipewire-0-manager"}); }
void accessibility(Outcome& outcome) {
  knock_at(outcome, {"$R/at-spi/bus", "$R/at-spi/bus_0", "$V:AT_SPI_BUS_ADDRESS"});
}
void terminals(Outcome& outcome) {
  char tmux[64];
  std::snprintf(tmux, sizeof tmux, "/tmp/tmux-%u/default", ::getuid());
  const char* const places[] = {tmux,
                                "$V:TMUX",
                                "$V:KITTY_LISTEN_ON",
                                "$V:WEZTERM_UNIX_SOCKET",
                                "$V:NVIM",
                                "$V:VSCODE_IPC_HOOK_CLI",
                                "$V:VSCODE_GIT_IPC_HANDLE",
                                "$R/emacs/server"};
  knock_at(outcome, places);
}
void services(Outcome& outcome) {
  knock_at(outcome, {"/run/cups/cups.sock", "/run/postgresql/.s.PGSQL.5432", "/run/mysqld/mysqld.sock",
                     "/run/redis/redis-server.sock", "/run/avahi-daemon/socket", "/run/nscd/socket",
                     "/run/sssd/pipes/nss", "/run/pcscd/pcscd.comm", "/run/acpid.socket", "/run/uuidd/request",
                     "/run/systemd/resolve/io.systemd.Resolve", "/run/udev/control"});
}

// Sockets that can be seen where they usually stand, whoever they belong to; a few levels deep.
class SocketSearch {
 public:
  void look(const char* directory, int levels) {
    DIR* const stream = ::opendir(directory);
    if (stream == nullptr) return;
    while (const dirent* entry = ::readdir(stream)) {
      if (entry->d_name[0] == '.' && (entry->d_name[1] == 0 || std::strcmp(entry->d_name, "..") == 0)) continue;
      if (++entries_ > kMostEntries) break;
      char path[512];
      std::snprintf(path, sizeof path, "%s/%.200s", directory, entry->d_name);
      struct stat status {};
      if (::lstat(path, &status) != 0) continue;
      if (std::strcmp(path, told("project")) == 0) continue;  // what stands there is the project's
      if (S_ISDIR(status.st_mode) && levels > 0) look(path, levels - 1);
      if (!S_ISSOCK(status.st_mode) || ::access(path, W_OK) != 0) continue;
      ++count_;
      if (first_[0] == 0) std::snprintf(first_, sizeof first_, "%.150s", path);
    }
    ::closedir(stream);
  }
  void tell(Outcome& outcome) const {
    if (count_ == 0) return blocked(outcome, "none is seen");
    open_wall(outcome, "%s%s", first_, count_ > 1 ? " and more" : "");
  }

 private:
  static constexpr int kMostEntries = 20'000;
  int entries_ = 0;
  int count_ = 0;
  char first_[160] = "";
};

void sockets_in_view(Outcome& outcome) {
  constexpr int kLevels = 3;
  SocketSearch search;
  for (const char* directory : {"/run", "/tmp", "/var/tmp", "/var/run", "/dev"}) search.look(directory, kLevels);
  if (is_told("runtime")) search.look(told("runtime"), kLevels);
  search.tell(outcome);
}

constexpr Attempt kAttempts[] = {
    {"abstract-stream", abstract_stream},
    {"abstract-datagram", abstract_datagram},
    {"abstract-packet", abstract_packet},
    {"socket-stream", socket_stream},
    {"socket-datagram", socket_datagram},
    {"socket-packet", socket_packet},
    {"socket-runtime", socket_runtime},
    {"socket-tmp", socket_tmp},
    {"socket-project", socket_project},
    {"sockets-in-view", sockets_in_view},
    {"loopback-tcp", loopback_tcp},
    {"loopback-tcp6", loopback_tcp6},
    {"loopback-udp", loopback_udp},
    {"session-bus", session_bus},
    {"user-manager", user_manager},
    {"system-bus", system_bus},
    {"journal", journal},
    {"containers", containers},
    {"ssh-agent", ssh_agent},
    {"gpg-agent", gpg_agent},
    {"x11", x11},
    {"wayland", wayland},
    {"sound", sound},
    {"accessibility", accessibility},
    {"terminals", terminals},
    {"services", services},
};

}  // namespace

AttemptList endpoint_attempts() { return {kAttempts, sizeof kAttempts / sizeof kAttempts[0]}; }

}  // namespace agentctl::probe
