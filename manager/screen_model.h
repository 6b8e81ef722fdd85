// SPDX-License-Identifier: Apache-2.0
// ScreenModel: what a program's terminal shows at this moment, kept so that it can be painted on another terminal.
// Fed with what has passed the filter: libvterm, which draws it, never sees anything else of what an agent prints. The
// only file that sees libvterm. Drawing is put off until 64 KiB have come or somebody looks.
// Of plain lines that have come meanwhile only those are drawn that are still to be seen.
// Not kept: hyperlinks, a saved cursor, origin mode, what has scrolled away.
#pragma once

#include <sys/ioctl.h>

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "manager/sequence_writer.h"
#include "manager/terminal_events.h"
#include "manager/terminal_modes.h"

namespace agentctl::manager {

class ScreenModel : public TerminalEvents {
 public:
  explicit ScreenModel(const winsize& size);
  ScreenModel(const ScreenModel&) = delete;
  ScreenModel& operator=(const ScreenModel&) = delete;
  ~ScreenModel() override;

  void on_text(std::string_view text) override;
  void on_control(char control) override;
  void on_escape(std::string_view intermediates, char final) override;
  void on_sequence(const ControlSequence& sequence) override;
  void on_string(StringKind kind, std::string_view body, bool ends_with_bell) override;

  void resize(const winsize& size);
  // While `answer` is set, questions (device attributes, cursor position) are answered by answer_now(), since no
  // terminal would.
  void answer_with(std::function<void(std::string_view)> answer);
  void answer_now();

  // Makes any terminal show what this one shows, in the same modes, cursor and attributes included.
  [[nodiscard]] std::string repaint();
  // A message (of ASCII) over the row that is the lowest in a window of that size, which shows what this one shows.
  [[nodiscard]] std::string paint_message(std::string_view message, const winsize& window);
  [[nodiscard]] const TerminalModes& modes() const { return modes_; }

 private:
  struct Terminal;  // libvterm's
  struct Screen {
    std::vector<std::string> rows;
    int cursor_row = 0;
    int cursor_column = 0;
    std::string pen;
  };

  void draw_now();
  void keep_sequence(const ControlSequence& sequence);
  void end_plain_lines();
  void draw(const std::string& painted);
  void note_line();
  void draw_modes(const ControlSequence& sequence);
  void repeat_character(std::string_view parameters);
  [[nodiscard]] std::string without_scrolled_lines(const std::string& bytes) const;
  void draw_if_much();
  [[nodiscard]] Screen read_screen(int columns);
  [[nodiscard]] std::string read_row(int row, int columns) const;
  [[nodiscard]] std::string cursor_and_pen() const;
  [[nodiscard]] std::string pen() const;
  [[nodiscard]] std::string paint(const Screen& screen) const;
  [[nodiscard]] std::string paint_cursor(const Screen& screen) const;
  [[nodiscard]] std::string paint_anew(const Screen& screen) const;

  int rows_;
  int columns_;
  std::unique_ptr<Terminal> terminal_;  // made at the first drawing
  SequenceWriter undrawn_;
  std::string last_character_;           // that was printed
  std::size_t plain_from_ = 0;           // in what is undrawn: from here on there are but plain lines, styled perhaps
  std::size_t plain_lines_ = 0;          // how many
  std::deque<std::size_t> line_starts_;  // of the last of them, as many as there are rows, and one
  std::function<void(std::string_view)> answer_;
  TerminalModes modes_;
  Screen primary_;  // while the alternate screen is shown
};

}  // namespace agentctl::manager
