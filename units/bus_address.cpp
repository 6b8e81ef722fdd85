// SPDX-License-Identifier: Apache-2.0
#include "units/bus_address.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/text.h"

namespace agentctl::units {
namespace {

std::optional<std::string> variable(const char* name) {
  const char* const value = ::secure_getenv(name);
  if (value == nullptr || *value == '\0') return std::nullopt;
  return std::string(value);
}

int hex_value(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
  return -1;
}

std::string unescape(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool escape =
        text[at] == '%' && at + 2 < text.size() && hex_value(text[at + 1]) >= 0 && hex_value(text[at + 2]) >= 0;
    if (!escape) {
      out += text[at];
      continue;
    }
    out += static_cast<char>(hex_value(text[at + 1]) * 16 + hex_value(text[at + 2]));
    at += 2;
  }
  return out;
}

void add_unique(std::vector<BusAddress>& addresses, BusAddress address) {
  if (std::find(addresses.begin(), addresses.end(), address) == addresses.end())
    addresses.push_back(std::move(address));
}

Error not_ours(const std::string& socket, uid_t found, uid_t wanted) {
  return make_error(ErrorKind::environment, cat("cannot use the socket '", printable(socket), "': it belongs to uid ",
                                                found, ", not to uid ", wanted));
}

Result<socklen_t> fill_address(const std::string& socket, sockaddr_un& address) {
  if (socket.empty() || socket.size() >= sizeof address.sun_path) {
    return make_error(ErrorKind::environment,
                      cat("cannot use the socket '", printable(socket), "': its name is too long"));
  }
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, socket.data(), socket.size());
  std::size_t length = offsetof(sockaddr_un, sun_path) + socket.size() + 1;
  if (socket[0] == '@') {
    address.sun_path[0] = '\0';
    --length;  // an abstract name has no terminating zero
  }
  return static_cast<socklen_t>(length);
}

}  // namespace

AddressSources read_address_sources() {
  return {variable("DBUS_SESSION_BUS_ADDRESS"), variable("XDG_RUNTIME_DIR"), ::geteuid()};
}

std::vector<std::string> parse_bus_address(const std::string& address, const std::string& runtime_dir) {
  std::vector<std::string> sockets;
  for (const std::string& entry : split(address, ';')) {
    if (!entry.starts_with("unix:")) continue;
    for (const std::string& pair : split(std::string_view(entry).substr(5), ',')) {
      if (pair.starts_with("path=/")) sockets.push_back(unescape(std::string_view(pair).substr(5)));
      if (pair.starts_with("abstract=")) sockets.push_back(cat("@", unescape(std::string_view(pair).substr(9))));
      if (pair == "runtime=yes" && !runtime_dir.empty()) sockets.push_back(cat(runtime_dir, "/bus"));
    }
  }
  return sockets;
}

std::vector<BusAddress> user_addresses(const AddressSources& sources) {
  const std::string usual = cat("/run/user/", sources.user);
  const std::string runtime_dir = sources.runtime_dir.value_or(usual);
  std::vector<BusAddress> addresses;
  if (sources.bus_address) {
    for (std::string& socket : parse_bus_address(*sources.bus_address, runtime_dir)) {
      add_unique(addresses, {std::move(socket), true});
    }
  }
  add_unique(addresses, {cat(runtime_dir, "/bus"), true});
  add_unique(addresses, {cat(usual, "/bus"), true});
  add_unique(addresses, {cat(runtime_dir, "/systemd/private"), false});
  add_unique(addresses, {cat(usual, "/systemd/private"), false});
  return addresses;
}

std::vector<BusAddress> system_addresses() {
  return {{"/run/systemd/private", false}, {"/run/dbus/system_bus_socket", true}};
}

Result<ManagerSocket> connect_socket(const std::string& socket, uid_t owner, unsigned msec) {
  struct stat status {};
  if (!socket.starts_with('@')) {
    if (::stat(socket.c_str(), &status) != 0)
      return errno_error(cat("cannot use the socket '", printable(socket), "'"));
    if (status.st_uid != owner) return not_ours(socket, status.st_uid, owner);
  }
  sockaddr_un address{};
  const socklen_t length = AGENTCTL_TRY(fill_address(socket, address));
  ManagerSocket connected{UniqueFd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)), 0};
  const timeval limit{static_cast<time_t>(msec / 1000), static_cast<suseconds_t>(msec % 1000 * 1000)};
  // Bounds connect(2) too, where a stopped manager's queue of connections is full.
  if (!connected.fd.valid() || ::setsockopt(connected.fd.get(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit) != 0 ||
      ::connect(connected.fd.get(), reinterpret_cast<const sockaddr*>(&address), length) != 0) {
    return errno_error(cat("cannot connect to '", printable(socket), "'"));
  }
  ucred peer{};
  socklen_t size = sizeof peer;
  if (::getsockopt(connected.fd.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) {
    return errno_error(cat("cannot tell whose the socket '", printable(socket), "' is"));
  }
  if (peer.uid != owner) return not_ours(socket, peer.uid, owner);
  connected.peer = peer.pid;
  return connected;
}

bool shares_pid_namespace(const std::string& status_text) {
  const std::size_t at = status_text.find("\nNSpid:");
  if (at == std::string::npos) return false;
  const std::string_view line = std::string_view(status_text).substr(at + 7, status_text.find('\n', at + 1) - at - 7);
  return trim(line).find_first_of(" \t") == std::string_view::npos;  // one number: no namespace below ours
}

}  // namespace agentctl::units
