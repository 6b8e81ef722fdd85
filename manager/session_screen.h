// SPDX-License-Identifier: Apache-2.0
// SessionScreen: where the output of a session's terminal is filtered and drawn once for everybody who looks at it.
#pragma once

#include <string>
#include <string_view>

#include "manager/escape_parser.h"
#include "manager/output_filter.h"
#include "manager/screen_model.h"
#include "manager/sequence_writer.h"

namespace agentctl::manager {

class SessionScreen {
 public:
  explicit SessionScreen(const winsize& size) : model_(size) {}

  // Gives what may be shown of it, in whole characters and sequences.
  [[nodiscard]] std::string pass(std::string_view output) {
    parser_.parse(output);
    model_.answer_now();
    return both_.shown.take();
  }
  [[nodiscard]] ScreenModel& model() { return model_; }

 private:
  struct Both : TerminalEvents {
    explicit Both(TerminalEvents& screen) : model(screen) {}
    void on_text(std::string_view text) override {
      shown.on_text(text);
      model.on_text(text);
    }
    void on_control(char control) override {
      shown.on_control(control);
      model.on_control(control);
    }
    void on_escape(std::string_view intermediates, char final) override {
      shown.on_escape(intermediates, final);
      model.on_escape(intermediates, final);
    }
    void on_sequence(const ControlSequence& sequence) override {
      shown.on_sequence(sequence);
      model.on_sequence(sequence);
    }
    void on_string(StringKind kind, std::string_view body, bool ends_with_bell) override {
      shown.on_string(kind, body, ends_with_bell);
      model.on_string(kind, body, ends_with_bell);
    }
    SequenceWriter shown;
    TerminalEvents& model;
  };

  ScreenModel model_;
  Both both_{model_};
  OutputFilter filter_{both_};
  EscapeParser parser_{filter_};
};

}  // namespace agentctl::manager
