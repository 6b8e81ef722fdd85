// SPDX-License-Identifier: Apache-2.0
// Attempts on files outside of the project: the host half's own, which hold secrets or are looked at afterwards, and
// known places of the user's, which are opened and not read.
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

#include "manager/probe/inside/attempt.h"

namespace agentctl::probe {
namespace {

void read_told(Outcome& outcome, const char* key) {
  if (!is_told(key)) return skip(outcome, "no such file was made");
  read_secret(outcome, AT_FDCWD, told(key));
}

void home_secret(Outcome& outcome) { read_told(outcome, "home-secret"); }
void tmp_secret(Outcome& outcome) { read_told(outcome, "tmp-secret"); }

void in_outside(char (&path)[512], const char* name) {
  std::snprintf(path, sizeof path, "%s/%s", told("outside"), name);
}

void outside_read(Outcome& outcome) {
  char path[512];
  in_outside(path, "secret");
  read_secret(outcome, AT_FDCWD, path);
}

// By "/proc/self/root" and "..": the same file under another name.
void outside_alias(Outcome& outcome) {
  char path[640];
  std::snprintf(path, sizeof path, "/proc/self/root/usr/..%s/secret", told("outside"));
  read_secret(outcome, AT_FDCWD, path);
}

void write_to(Outcome& outcome, const char* path, int flags) {
  const int fd = ::open(path, O_WRONLY | O_CLOEXEC | flags, 0600);
  if (fd < 0) return by_success(outcome, -1);
  by_success(outcome, ::write(fd, "Z", 1));
}

void outside_write(Outcome& outcome) {
  char path[512];
  in_outside(path, "written");
  write_to(outcome, path, 0);
}

void outside_make(Outcome& outcome) {
  char path[512];
  in_outside(path, "made");
  write_to(outcome, path, O_CREAT);
}

void home_make(Outcome& outcome) {
  if (!is_told("home-make")) return skip(outcome, "no name in the home was given");
  write_to(outcome, told("home-make"), O_CREAT);
}

void state_make(Outcome& outcome) {
  if (!is_told("state-make")) return skip(outcome, "agentctl keeps no state in this run");
  write_to(outcome, told("state-make"), O_CREAT);
}

void config_make(Outcome& outcome) {
  if (!is_told("config-make")) return skip(outcome, "there is no ~/.config/agentctl");
  write_to(outcome, told("config-make"), O_CREAT);
}

void cache_make(Outcome& outcome) {
  if (!is_told("cache-make")) return skip(outcome, "there is no ~/.cache");
  write_to(outcome, told("cache-make"), O_CREAT);
}

void path_make(Outcome& outcome) {
  if (!is_told("path-make")) return skip(outcome, "PATH leads to no directory in the home");
  write_to(outcome, told("path-make"), O_CREAT);
}

// A file without a name tells whether one could be made, and leaves nothing.
template <std::size_t N>
void make_nameless(Outcome& outcome, const char* const (&directories)[N]) {
  char reached[200] = "";
  for (const char* directory : directories) {
    const int fd = ::open(directory, O_WRONLY | O_TMPFILE | O_CLOEXEC, 0600);
    if (fd < 0) continue;
    ::close(fd);
    add_word(reached, sizeof reached, directory);
  }
  if (reached[0] == 0) return blocked(outcome, "none is writable");
  open_wall(outcome, "%s", reached);
}

void system_write(Outcome& outcome) {
  make_nameless(outcome, {"/etc", "/usr", "/usr/bin", "/usr/local/bin", "/opt", "/var", "/var/lib", "/srv", "/boot"});
}

// Not those on the way to the home or the project: whoever may write /tmp, or a home, may write them.
void root_write(Outcome& outcome) { make_nameless(outcome, {"/", "/dev", "/run", "/home", "/sys", "/mnt", "/media"}); }

// This program stands for the agent's.
void program_write(Outcome& outcome) {
  char path[512] = "";
  if (::readlink("/proc/self/exe", path, sizeof path - 1) < 0) return by_success(outcome, -1);
  if (path[0] != '/' || std::strncmp(path, "/memfd:", 7) == 0) return skip(outcome, "it is executed from memory here");
  by_success(outcome, ::access("/proc/self/exe", W_OK));
}

// Opened, not read. "~" is the home.
template <std::size_t N>
void open_places(Outcome& outcome, const char* const (&places)[N]) {
  char reached[220] = "";
  for (const char* place : places) {
    char path[512];
    if (place[0] == '~')
      std::snprintf(path, sizeof path, "%s%s", told("home"), place + 1);
    else
      std::snprintf(path, sizeof path, "%s", place);
    const int fd = ::open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) continue;
    // What hides may be an empty file or directory.
    struct stat status {};
    bool holds =
        ::fstat(fd, &status) == 0 && (S_ISDIR(status.st_mode) || status.st_size > 0 || S_ISCHR(status.st_mode));
    if (S_ISDIR(status.st_mode)) {
      DIR* const stream = ::fdopendir(fd);
      int entries = 0;
      while (stream != nullptr && ::readdir(stream) != nullptr) ++entries;
      holds = entries > 2;
      if (stream != nullptr) ::closedir(stream);
    } else {
      ::close(fd);
    }
    if (!holds) continue;
    add_word(reached, sizeof reached, path);
  }
  if (reached[0] == 0) return blocked(outcome, "none can be opened");
  open_wall(outcome, "%s", reached);
}

void logins(Outcome& outcome) {
  open_places(outcome, {"~/.ssh",
                        "~/.gnupg",
                        "~/.aws",
                        "~/.azure",
                        "~/.config/gcloud",
                        "~/.kube",
                        "~/.docker/config.json",
                        "~/.netrc",
                        "~/.npmrc",
                        "~/.pypirc",
                        "~/.cargo/credentials",
                        "~/.cargo/credentials.toml",
                        "~/.config/gh",
                        "~/.config/glab-cli",
                        "~/.git-credentials",
                        "~/.config/git/credentials",
                        "~/.password-store",
                        "~/.local/share/keyrings",
                        "~/.terraform.d",
                        "~/.vault-token",
                        "~/.pgpass",
                        "~/.my.cnf",
                        "~/.config/op",
                        "~/.config/rclone",
                        "~/.m2/settings.xml",
                        "~/.gradle/gradle.properties",
                        "~/.config/hub",
                        "~/.s3cfg",
                        "~/.boto"});
}

void private_data(Outcome& outcome) {
  open_places(outcome, {"~/.mozilla",
                        "~/.config/google-chrome",
                        "~/.config/chromium",
                        "~/.thunderbird",
                        "~/.config/BraveSoftware",
                        "~/snap/firefox",
                        "~/.var/app",
                        "~/.bash_history",
                        "~/.zsh_history",
                        "~/.local/share/fish/fish_history",
                        "~/.psql_history",
                        "~/.mysql_history",
                        "~/.node_repl_history",
                        "~/.python_history",
                        "~/.lesshst",
                        "~/.viminfo",
                        "~/.Xauthority",
                        "~/.ICEauthority",
                        "~/Mail",
                        "~/.config/Signal",
                        "/var/mail",
                        "/var/spool/mail"});
}

void system_secrets(Outcome& outcome) {
  open_places(outcome, {"/etc/shadow", "/etc/gshadow", "/etc/sudoers", "/etc/ssh/ssh_host_rsa_key",
                        "/etc/ssh/ssh_host_ed25519_key", "/etc/ssl/private", "/etc/NetworkManager/system-connections",
                        "/etc/wireguard", "/etc/krb5.keytab", "/var/lib/systemd/coredump", "/var/log/journal",
                        "/var/log/syslog", "/var/log/auth.log", "/proc/kcore"});
}

void hardware(Outcome& outcome) {
  open_places(outcome, {"/sys/class/net", "/sys/class/dmi/id", "/sys/class/block", "/sys/class/drm", "/sys/firmware",
                        "/sys/bus/usb/devices", "/sys/kernel/debug", "/sys/fs/bpf"});
}

bool leads_to(const char* place, const char* directory) {
  const std::size_t length = std::strlen(directory);
  return std::strncmp(place, directory, length) == 0 && (place[length] == '/' || place[length] == 0);
}

void other_homes(Outcome& outcome) {
  DIR* const stream = ::opendir("/home");
  if (stream == nullptr) return by_success(outcome, -1);
  char seen[200] = "";
  char own[512] = "";  // the way to this program, wherever it was installed, is there
  if (::readlink("/proc/self/exe", own, sizeof own - 1) < 0) own[0] = 0;
  while (const dirent* entry = ::readdir(stream)) {
    char path[300];
    std::snprintf(path, sizeof path, "/home/%.200s", entry->d_name);
    if (entry->d_name[0] == '.' || leads_to(told("home"), path) || leads_to(told("project"), path)) continue;
    if (leads_to(own, path)) continue;
    std::snprintf(seen, sizeof seen, "%.190s", path);
  }
  ::closedir(stream);
  if (seen[0] == 0) return blocked(outcome, "none is seen");
  open_wall(outcome, "%s", seen);
}

// The host half opens the file meanwhile.
void home_watch(Outcome& outcome) {
  char directory[512];
  char events[4096];
  constexpr int kEventMsec = 200;
  const char* const name = std::strrchr(told("home-secret"), '/');
  if (name == nullptr) return skip(outcome, "no such file was made");
  std::snprintf(directory, sizeof directory, "%.*s", static_cast<int>(name - told("home-secret")), told("home-secret"));
  const int watch = ::inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
  if (watch < 0 || ::inotify_add_watch(watch, directory, IN_OPEN) < 0) return by_success(outcome, -1);
  if (!wait_for_host("touch")) return skip(outcome, "the host half did not answer");
  pollfd readable{watch, POLLIN, 0};
  while (::poll(&readable, 1, kEventMsec) == 1) {
    const ssize_t size = ::read(watch, events, sizeof events);
    if (size <= 0 || ::memmem(events, static_cast<std::size_t>(size), name + 1, std::strlen(name + 1)) == nullptr)
      continue;
    return open_wall(outcome, "%s", told("home-secret"));
  }
  blocked(outcome, "nothing of it is seen");
}

template <std::size_t N>
void open_devices(Outcome& outcome, const char* const (&nodes)[N]) {
  char reached[200] = "";
  for (const char* node : nodes) {
    const int fd = ::open(node, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) continue;
    ::close(fd);
    add_word(reached, sizeof reached, node);
  }
  if (reached[0] == 0) return blocked(outcome, "none can be opened");
  open_wall(outcome, "%s", reached);
}

void graphics(Outcome& outcome) {
  open_devices(outcome, {"/dev/dri/card0", "/dev/dri/card1", "/dev/dri/renderD128", "/dev/nvidia0", "/dev/kfd"});
}
void virtual_machines(Outcome& outcome) { open_devices(outcome, {"/dev/kvm"}); }
void devices(Outcome& outcome) {
  open_devices(outcome,
               {"/dev/mem",           "/dev/kmsg",      "/dev/fuse",        "/dev/uinput",  "/dev/input/event0",
                "/dev/snd/controlC0", "/dev/vhost-net", "/dev/vhost-vsock", "/dev/vsock",   "/dev/loop-control",
                "/dev/loop0",         "/dev/net/tun",   "/dev/video0",      "/dev/hidraw0", "/dev/sda",
                "/dev/vda",           "/dev/nvme0n1",   "/dev/udmabuf",     "/dev/ttyS0",   "/dev/tty1",
                "/dev/btrfs-control", "/dev/cuse"});
}

constexpr Attempt kAttempts[] = {
    {"home-secret", home_secret},
    {"tmp-secret", tmp_secret},
    {"outside-read", outside_read},
    {"outside-alias", outside_alias},
    {"outside-write", outside_write},
    {"outside-make", outside_make},
    {"home-make", home_make},
    {"state-make", state_make},
    {"config-make", config_make},
    {"cache-make", cache_make},
    {"path-make", path_make},
    {"system-write", system_write},
    {"root-write", root_write},
    {"program-write", program_write},
    {"hardware", hardware},
    {"home-watch", home_watch},
    {"logins", logins},
    {"private-data", private_data},
    {"system-secrets", system_secrets},
    {"other-homes", other_homes},
    {"graphics", graphics},
    {"virtual-machines", virtual_machines},
    {"devices", devices},
};

}  // namespace

AttemptList file_attempts() { return {kAttempts, sizeof kAttempts / sizeof kAttempts[0]}; }

}  // namespace agentctl::probe
