// SPDX-License-Identifier: Apache-2.0
// Front: where the user is asked and told: the terminal that the launcher runs on, or windows.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "manager/launcher/dialog.h"
#include "manager/launcher/picker.h"

namespace agentctl::launcher {

class Front {
 public:
  // As standard input, standard error and the environment are.
  [[nodiscard]] static Front find();

  [[nodiscard]] bool is_terminal() const { return is_terminal_; }
  [[nodiscard]] bool has_display() const { return has_display_; }
  [[nodiscard]] bool can_ask() const { return is_terminal_ || (has_display_ && dialog_); }

  // Kind nothing: the user has closed the question. A directory may be a relative path, or begin with "~".
  [[nodiscard]] Result<Choice> ask(const Question& question) const;
  // A directory, whichever.
  [[nodiscard]] Result<Choice> ask_directory(const std::string& text) const;
  // In a window or by a notification, whichever works; on a terminal nothing, for what is said there is seen.
  void tell(const Message& message) const;

 private:
  bool is_terminal_ = false;
  bool has_display_ = false;
  std::string home_;
  std::optional<DialogProgram> dialog_;
};

}  // namespace agentctl::launcher
