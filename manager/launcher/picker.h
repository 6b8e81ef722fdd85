// SPDX-License-Identifier: Apache-2.0
// Picker: choosing from a list by lines that are typed: a number, or a part of a name, which leaves those that have it,
// or, where the question allows it, a path. An empty line takes the first. Pure: it reads and prints nothing.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace agentctl::launcher {

struct Question {
  std::string text;                 // "Project"
  std::vector<std::string> labels;  // safe to be shown
  bool takes_directory = false;     // any other directory may be named, too
};

struct Choice {
  enum class Kind { nothing, item, directory };
  Kind kind = Kind::nothing;
  std::size_t item = 0;   // of Question::labels
  std::string directory;  // as typed
};

class Picker {
 public:
  explicit Picker(Question question);

  // The list as it is now, and the prompt.
  [[nodiscard]] std::string screen() const;
  // Nothing: not chosen yet, and the screen has changed.
  [[nodiscard]] Choice answer(std::string_view line);

 private:
  void show_all();
  [[nodiscard]] Choice filter(std::string_view text);

  Question question_;
  std::vector<std::size_t> shown_;
  std::string remark_;
};

}  // namespace agentctl::launcher
