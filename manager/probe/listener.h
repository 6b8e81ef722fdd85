// SPDX-License-Identifier: Apache-2.0
// Listener: a socket that waits for a byte from inside: by an abstract name, a path, or a port of the loopback
// interface. Nothing is answered. What connects stays in the kernel's queue until it is looked for.
#pragma once

#include <sys/socket.h>

#include <string>

#include "base/result.h"
#include "base/unique_fd.h"
#include "manager/probe/canary.h"

namespace agentctl::probe {

class Listener : public Canary {
 public:
  // `item`: also the key by which the inside half is told of it. `type` as of socket(2).
  [[nodiscard]] static Result<std::unique_ptr<Canary>> at_name(std::string item, int type, std::string name);
  [[nodiscard]] static Result<std::unique_ptr<Canary>> at_path(std::string item, int type, std::string path);
  // An Error where this host has no such loopback address.
  [[nodiscard]] static Result<std::unique_ptr<Canary>> at_port(std::string item, int family, int type);
  ~Listener() override;

  void describe(Planted& planted) const override;
  void reset() override { (void)take(); }
  void look(Evidence& evidence) override;

 private:
  Listener(std::string item, int type, std::string place, std::string path, UniqueFd fd)
      : item_(std::move(item)), type_(type), place_(std::move(place)), path_(std::move(path)), fd_(std::move(fd)) {}
  [[nodiscard]] static Result<std::unique_ptr<Canary>> at_unix(std::string item, int type, std::string place,
                                                               bool abstract);
  // Whether a byte has come since it was last asked.
  [[nodiscard]] bool take();

  std::string item_;
  int type_;
  std::string place_;  // the name, path or port
  std::string path_;   // to be removed; "" for others
  UniqueFd fd_;
};

}  // namespace agentctl::probe
