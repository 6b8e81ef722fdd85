// SPDX-License-Identifier: Apache-2.0
// FakeSystemd: the other end of a socket pair, which speaks org.freedesktop.systemd1 as far as scopes need it and
// misbehaves on request. It runs in a thread of its own; declare it before its client, so that it outlives it.
#pragma once

#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/unique_fd.h"

struct sd_bus;
struct sd_bus_message;

namespace agentctl::test {

struct FakeBehaviour {
  std::string version = "252.39-1~deb12u2";
  std::string job_result = "done";  // "": the job never ends
  std::string active_state = "active";
  bool signal_before_reply = false;             // JobRemoved comes first
  bool other_job_fails_first = false;           // a signal for somebody else's job
  int unit_exists_times = 0;                    // starts refused with UnitExists
  std::vector<std::string> unknown_properties;  // refused with PropertyReadOnly, by name
  bool nameless_refusal = false;                // …in a text that does not name them
  bool silent = false;                          // reads and answers nothing, not even the greeting
  bool silent_at_start = false;
  bool hang_up_at_start = false;
  bool start_refused_for_good = false;  // InvalidArgs
};

class FakeSystemd {
 public:
  explicit FakeSystemd(FakeBehaviour behaviour);
  ~FakeSystemd();
  FakeSystemd(const FakeSystemd&) = delete;
  FakeSystemd& operator=(const FakeSystemd&) = delete;

  [[nodiscard]] UniqueFd take_client() { return std::move(client_); }
  // What was called so far: "StopUnit x.scope", "StartTransientUnit x.scope fail MemoryMax=1 …".
  [[nodiscard]] std::vector<std::string> calls() const;
  [[nodiscard]] int count(const std::string& member) const;

 private:
  void serve();
  static int handle(sd_bus_message* message, void* self, void* error) noexcept;
  int answer(sd_bus_message* message);
  int answer_property(sd_bus_message* message);
  int answer_start(sd_bus_message* message);
  int finish_job(sd_bus_message* message, const std::string& unit, const std::string& result);
  void record(std::string call);

  FakeBehaviour behaviour_;
  UniqueFd client_;
  UniqueFd shutdown_;  // the server's socket once more, to end its thread
  UniqueFd server_;
  sd_bus* bus_ = nullptr;
  bool hung_up_ = false;
  mutable std::mutex mutex_;
  std::vector<std::string> calls_;
  std::thread thread_;
};

}  // namespace agentctl::test
