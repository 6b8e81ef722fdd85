// SPDX-License-Identifier: Apache-2.0
#include "bwrap/exec_message.h"

#include <sys/mman.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "base/file.h"
#include "base/receive.h"
#include "base/text.h"

namespace agentctl::bwrap {
namespace {

// The kernel passes at most 253 descriptors with one message (SCM_MAX_FD).
constexpr int kMaxFds = 253;
constexpr int kLeadingFds = 4;  // the words, standard input, output, error

struct Header {
  unsigned argument_count;
  unsigned variable_count;
  unsigned text_size;
  unsigned controlling_terminal;
};

std::string join_words(const ExecRequest& request) {
  std::string text = request.program.str() + '\0';
  for (const auto* words : {&request.arguments, &request.environment}) {
    for (const std::string& word : *words) text.append(word.c_str(), word.size() + 1);
  }
  return text;
}

// Static: the child has no heap to speak of, and there is one child a process.
int received_fds[kMaxFds];

bool take_descriptors(msghdr& header, int& count) {
  const cmsghdr* part = CMSG_FIRSTHDR(&header);
  if (part == nullptr || part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) return false;
  count = static_cast<int>((part->cmsg_len - CMSG_LEN(0)) / sizeof(int));
  if (count < kLeadingFds || count > kMaxFds) return false;
  std::memcpy(received_fds, CMSG_DATA(part), static_cast<std::size_t>(count) * sizeof(int));
  return true;
}

// Cuts the words into the two pointer lists that execve(2) wants.
bool lay_out(const Header& header, char* text, ReceivedExec& received) {
  const std::size_t pointers = header.argument_count + header.variable_count + 2U;
  void* const table =
      ::mmap(nullptr, pointers * sizeof(char*), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (table == MAP_FAILED) return false;
  received.argv = static_cast<char**>(table);
  received.envp = received.argv + header.argument_count + 1;
  received.program = text;
  char* word = text + std::strlen(text) + 1;
  for (unsigned at = 0; at < header.argument_count; ++at, word += std::strlen(word) + 1) received.argv[at] = word;
  for (unsigned at = 0; at < header.variable_count; ++at, word += std::strlen(word) + 1) received.envp[at] = word;
  return true;
}

}  // namespace

Result<void> send_exec_message(int socket, const ExecRequest& request) {
  const std::string text = join_words(request);
  const UniqueFd words = AGENTCTL_TRY(sealed_memory_file("agentctl-exec", text));
  std::vector<int> fds = {words.get(), request.standard_input, request.standard_output, request.standard_error};
  fds.insert(fds.end(), request.kept_fds.begin(), request.kept_fds.end());
  if (fds.size() > kMaxFds) {
    return make_error(ErrorKind::policy,
                      cat("too many copied files: at most ", kMaxFds - kLeadingFds, " descriptors fit"));
  }
  Header header{static_cast<unsigned>(request.arguments.size()), static_cast<unsigned>(request.environment.size()),
                static_cast<unsigned>(text.size()), request.controlling_terminal ? 1U : 0U};
  iovec data{&header, sizeof header};
  std::vector<char> control(CMSG_SPACE(fds.size() * sizeof(int)));
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  cmsghdr* part = CMSG_FIRSTHDR(&message);
  part->cmsg_level = SOL_SOCKET;
  part->cmsg_type = SCM_RIGHTS;
  part->cmsg_len = CMSG_LEN(fds.size() * sizeof(int));
  std::memcpy(CMSG_DATA(part), fds.data(), fds.size() * sizeof(int));
  if (::sendmsg(socket, &message, MSG_NOSIGNAL) < 0) return errno_error("cannot release the held child");
  return {};
}

bool receive_exec_message(int socket, ReceivedExec& received) {
  Header header{};
  iovec data{&header, sizeof header};
  alignas(cmsghdr) static char control[CMSG_SPACE(kMaxFds * sizeof(int))];
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  const ssize_t size = receive_message(socket, message);
  int count = 0;
  if (size != sizeof header || !take_descriptors(message, count)) return false;
  void* const text = ::mmap(nullptr, header.text_size, PROT_READ, MAP_PRIVATE, received_fds[0], 0);
  if (text == MAP_FAILED || !lay_out(header, static_cast<char*>(text), received)) return false;
  std::memcpy(received.standard, received_fds + 1, sizeof received.standard);
  received.controlling_terminal = header.controlling_terminal != 0;
  received.kept = received_fds + kLeadingFds;
  received.kept_count = count - kLeadingFds;
  return true;
}

}  // namespace agentctl::bwrap
