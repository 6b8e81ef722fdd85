// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "manager/probe/inside/attempt.h"
#include "manager/probe/secret_mark.h"

namespace agentctl::probe {
namespace {

constexpr int kHostMsec = 4000;

void set(Outcome& outcome, Finding finding, const char* format, std::va_list words) {
  std::vsnprintf(outcome.detail, sizeof outcome.detail, format, words);
  outcome.finding = finding;
}

const char* errno_name() {
  const char* name = ::strerrorname_np(errno);
  return name == nullptr ? "unknown errno" : name;
}

}  // namespace

void blocked(Outcome& outcome, const char* format, ...) {
  std::va_list words;
  va_start(words, format);
  set(outcome, Finding::blocked, format, words);
  va_end(words);
}

void open_wall(Outcome& outcome, const char* format, ...) {
  std::va_list words;
  va_start(words, format);
  set(outcome, Finding::open, format, words);
  va_end(words);
}

void skip(Outcome& outcome, const char* format, ...) {
  std::va_list words;
  va_start(words, format);
  set(outcome, Finding::skip, format, words);
  va_end(words);
}

void by_success(Outcome& outcome, long returned) {
  if (returned >= 0) return open_wall(outcome, "succeeded");
  blocked(outcome, "%s", errno_name());
}

void by_filter(Outcome& outcome, long returned) {
  if (returned >= 0) return open_wall(outcome, "succeeded");
  if (errno == EPERM || errno == ENOSYS || errno == EACCES || errno == EAFNOSUPPORT)
    return blocked(outcome, "%s", errno_name());
  open_wall(outcome, "the kernel answered %s", errno_name());
}

void add_word(char* list, std::size_t size, const char* word) {
  const std::size_t used = std::strlen(list);
  const std::size_t length = std::strlen(word);
  if (used + length + 2 > size) return;
  if (used > 0) list[used] = ' ';
  std::memcpy(list + used + (used > 0 ? 1 : 0), word, length + 1);
}

int find_secrets(const char* text, std::size_t length, char* found, std::size_t size) {
  const std::size_t mark = std::strlen(kSecretMark);
  const std::size_t whole = mark + kSecretDigits;
  int count = 0;
  for (std::size_t at = 0; at + whole <= length; ++at) {
    if (std::memcmp(text + at, kSecretMark, mark) != 0) continue;
    ++count;
    char secret[64] = "";
    std::memcpy(secret, text + at, whole);
    if (std::strstr(found, secret) == nullptr) add_word(found, size, secret);
  }
  return count;
}

long read_file(int directory, const char* path, char* text, std::size_t size) {
  const int fd = ::openat(directory, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) return -1;
  std::size_t used = 0;
  long count = 0;
  while (used + 1 < size && (count = ::read(fd, text + used, size - 1 - used)) > 0)
    used += static_cast<std::size_t>(count);
  const int error = errno;
  ::close(fd);
  errno = error;
  text[used] = 0;
  return count < 0 && used == 0 ? -1 : static_cast<long>(used);
}

void read_secret(Outcome& outcome, int directory, const char* path) {
  char text[4096];
  char found[200] = "";
  const long length = read_file(directory, path, text, sizeof text);
  if (length < 0) return blocked(outcome, "%s", errno_name());
  if (find_secrets(text, static_cast<std::size_t>(length), found, sizeof found) == 0)
    return blocked(outcome, "another file stands there, of %ld bytes", length);
  open_wall(outcome, "%s", found);
}

bool wait_for_host(const char* what) {
  char line[96];
  const int length = std::snprintf(line, sizeof line, "%s wait %s -\n", told("report"), what);
  if (::write(1, line, static_cast<std::size_t>(length)) != length) return false;
  pollfd typed{0, POLLIN, 0};
  char byte = 0;
  while (::poll(&typed, 1, kHostMsec) == 1) {
    if (::read(0, &byte, 1) != 1) return false;
    if (byte == '\n' || byte == '\r') return true;
  }
  return false;
}

}  // namespace agentctl::probe
