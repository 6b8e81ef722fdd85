// SPDX-License-Identifier: Apache-2.0
#include "manager/probe/other_terminal.h"

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include <utility>

#include "base/unique_fd.h"

namespace agentctl::probe {
namespace {

class OtherTerminal : public Canary {
 public:
  OtherTerminal(UniqueFd master, UniqueFd slave, std::string name)
      : master_(std::move(master)), slave_(std::move(slave)), name_(std::move(name)) {}
  void describe(Planted& planted) const override { planted.tell("terminal", name_); }
  void reset() override { (void)take(); }
  void look(Evidence& evidence) override {
    if (take()) evidence.effects.insert("other-terminal");
  }

 private:
  [[nodiscard]] bool take() {
    char bytes[256];
    bool has_come = false;
    pollfd readable{master_.get(), POLLIN, 0};
    while (::poll(&readable, 1, 0) == 1 && ::read(master_.get(), bytes, sizeof bytes) > 0) has_come = true;
    return has_come;
  }

  UniqueFd master_;
  UniqueFd slave_;
  std::string name_;
};

}  // namespace

Result<std::unique_ptr<Canary>> open_other_terminal() {
  UniqueFd master(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
  char name[64];
  if (!master.valid() || ::grantpt(master.get()) != 0 || ::unlockpt(master.get()) != 0 ||
      ::ptsname_r(master.get(), name, sizeof name) != 0) {
    return errno_error("cannot make a pty");
  }
  UniqueFd slave(::open(name, O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (!slave.valid()) return errno_error("cannot open a pty");
  return std::unique_ptr<Canary>(std::make_unique<OtherTerminal>(std::move(master), std::move(slave), name));
}

}  // namespace agentctl::probe
