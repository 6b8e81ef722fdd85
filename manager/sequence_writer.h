// SPDX-License-Identifier: Apache-2.0
// SequenceWriter: puts what EscapeParser took apart together again, byte for byte as a 7-bit terminal wants it.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "manager/terminal_events.h"

namespace agentctl::manager {

class SequenceWriter : public TerminalEvents {
 public:
  void on_text(std::string_view text) override { bytes_ += text; }
  void on_control(char control) override { bytes_ += control; }
  void on_escape(std::string_view intermediates, char final) override {
    bytes_ += '\x1b';
    bytes_ += intermediates;
    bytes_ += final;
  }
  void on_sequence(const ControlSequence& sequence) override {
    bytes_ += "\x1b[";
    bytes_ += sequence.parameters;
    bytes_ += sequence.intermediates;
    bytes_ += sequence.final;
  }
  void on_string(StringKind kind, std::string_view body, bool ends_with_bell) override {
    bytes_ += '\x1b';
    bytes_ += static_cast<char>(kind);
    bytes_ += body;
    bytes_ += ends_with_bell ? "\a" : "\x1b\\";
  }

  [[nodiscard]] std::size_t size() const { return bytes_.size(); }
  [[nodiscard]] bool ends_with(char byte) const { return bytes_.ends_with(byte); }
  // What was written since the last call.
  [[nodiscard]] std::string take() { return std::exchange(bytes_, {}); }

 private:
  std::string bytes_;
};

}  // namespace agentctl::manager
