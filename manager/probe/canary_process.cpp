// SPDX-License-Identifier: Apache-2.0
#include "manager/probe/canary_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/file.h"
#include "base/parent_death.h"
#include "base/text.h"
#include "bwrap/child_state.h"
#include "manager/probe/inside/canary.h"
#include "manager/probe/secret.h"

namespace agentctl::probe {
namespace {

constexpr int kStartMsec = 5000;

class CanaryProcess : public Canary {
 public:
  CanaryProcess(pid_t pid, UniqueFd told, std::vector<std::string> secrets)
      : pid_(pid), told_(std::move(told)), secrets_(std::move(secrets)) {}
  ~CanaryProcess() override {
    ::kill(pid_, SIGKILL);  // ours and not reaped, so the number cannot be another's
    ::waitpid(pid_, nullptr, 0);
  }

  Result<void> wait_until_ready() {
    pollfd ready{told_.get(), POLLIN, 0};
    while (address_.empty() || address_.back() != '\n') {
      if (::poll(&ready, 1, kStartMsec) <= 0) return errno_error(ETIMEDOUT, "the canary process does not come up");
      char byte = 0;
      if (::read(told_.get(), &byte, 1) != 1) return errno_error(ECHILD, "the canary process has ended");
      address_ += byte;
    }
    address_.pop_back();
    return {};
  }

  void describe(Planted& planted) const override {
    planted.tell("canary", std::to_string(pid_));
    planted.tell("canary-address", address_);
    planted.secrets["arguments"].push_back(secrets_[0]);
    planted.secrets["environments"].push_back(secrets_[1]);
    planted.secrets["memory"] = {secrets_[1]};
    planted.secrets["memory-file"] = {secrets_[1]};
  }
  void reset() override { (void)take(); }
  void look(Evidence& evidence) override {
    if (take()) evidence.effects.insert("signal");
  }

 private:
  [[nodiscard]] bool take() {
    pollfd told{told_.get(), POLLIN, 0};
    bool has_come = false;
    char byte = 0;
    while (::poll(&told, 1, 0) == 1 && ::read(told_.get(), &byte, 1) == 1) has_come = true;
    return has_come;
  }

  pid_t pid_;
  UniqueFd told_;
  std::vector<std::string> secrets_;  // of the arguments, of the environment and the memory
  std::string address_;
};

}  // namespace

Result<std::unique_ptr<Canary>> start_canary_process(const std::string& program) {
  const std::vector<std::string> secrets = {AGENTCTL_TRY(make_secret()), AGENTCTL_TRY(make_secret())};
  Pipe pipe = AGENTCTL_TRY(make_pipe());
  const std::string number = std::to_string(pipe.write_end.get());
  const std::string argument = cat("--password=", secrets[0]);
  const std::string variable = cat(kCanaryVariable, "=", secrets[1]);
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) return errno_error("cannot fork");
  if (pid == 0) {
    die_with(parent);
    bwrap::reset_signals(true);
    ::setsid();
    ::fcntl(pipe.write_end.get(), F_SETFD, 0);
    char* const argv[] = {const_cast<char*>("agentctl-probe"), const_cast<char*>("canary"),
                          const_cast<char*>(number.c_str()),   const_cast<char*>(argument.c_str()),
                          const_cast<char*>("--ro-bind"),      nullptr};
    char* const envp[] = {const_cast<char*>(variable.c_str()), nullptr};
    ::execve(program.c_str(), argv, envp);
    ::_exit(127);
  }
  pipe.write_end.reset();
  auto canary = std::make_unique<CanaryProcess>(pid, std::move(pipe.read_end), secrets);
  AGENTCTL_TRY_VOID(canary->wait_until_ready());
  return std::unique_ptr<Canary>(std::move(canary));
}

}  // namespace agentctl::probe
