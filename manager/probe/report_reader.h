// SPDX-License-Identifier: Apache-2.0
// ReportReader: finds the lines of the inside half in what comes out of a terminal. Others write there, too: what holds
// the sandbox, and in a running session its agent, which may forge lines. So of two lines for one item the worse
// counts, and nothing is taken that has not the form. Pure.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "manager/probe/evidence.h"

namespace agentctl::probe {

class ReportReader {
 public:
  // `tag`: of this run. `on_wait`: the inside half waits for what it names.
  ReportReader(std::string tag, Evidence& evidence, std::function<void(std::string_view what)> on_wait);

  void pass(std::string_view output);

 private:
  void take(std::string_view line);

  std::string tag_;
  Evidence& evidence_;
  std::function<void(std::string_view)> on_wait_;
  std::string line_;
  bool overlong_ = false;
};

}  // namespace agentctl::probe
