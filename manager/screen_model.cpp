// SPDX-License-Identifier: Apache-2.0
#include "manager/screen_model.h"

#include <vterm.h>

#include <algorithm>

#include "base/text.h"
#include "manager/cell_style.h"
#include "manager/sequence_numbers.h"

namespace agentctl::manager {
namespace {

constexpr std::size_t kMuch = 65536;
constexpr int kMostRows = 1000;
constexpr int kMostColumns = 1000;
constexpr std::ptrdiff_t kMostNumbers = 16;
constexpr int kLeastColumns = 2;  // for a wide character, for which libvterm writes two cells in any case
constexpr std::uint32_t kRestOfWideCharacter = ~std::uint32_t{0};

void append_utf8(std::string& text, std::uint32_t code) {
  const auto add = [&](std::uint32_t byte) { text += static_cast<char>(byte); };
  if (code < 0x80) return add(code);
  if (code < 0x800) {
    add(0xc0 | code >> 6);
  } else {
    if (code < 0x10000) {
      add(0xe0 | code >> 12);
    } else {
      add(0xf0 | code >> 18);
      add(0x80 | (code >> 12 & 0x3f));
    }
    add(0x80 | (code >> 6 & 0x3f));
  }
  add(0x80 | (code & 0x3f));
}

std::string_view last_character(std::string_view text) {
  std::size_t begin = text.size() - 1;
  while (begin > 0 && (static_cast<unsigned char>(text[begin]) & 0xc0U) == 0x80U) --begin;
  return text.substr(begin);
}

CellColour colour_of(const VTermColor& colour) {
  if (VTERM_COLOR_IS_DEFAULT_FG(&colour) || VTERM_COLOR_IS_DEFAULT_BG(&colour)) return {};
  if (VTERM_COLOR_IS_INDEXED(&colour)) return {CellColour::Kind::indexed, colour.indexed.idx, 0, 0};
  return {CellColour::Kind::rgb, colour.rgb.red, colour.rgb.green, colour.rgb.blue};
}

CellStyle style_of(const VTermScreenCell& cell) {
  CellStyle style;
  style.bold = cell.attrs.bold != 0;
  style.dim = cell.attrs.font == kDimFont;
  style.italic = cell.attrs.italic != 0;
  style.underline = static_cast<int>(cell.attrs.underline);
  style.blink = cell.attrs.blink != 0;
  style.reverse = cell.attrs.reverse != 0;
  style.strike = cell.attrs.strike != 0;
  style.foreground = colour_of(cell.fg);
  style.background = colour_of(cell.bg);
  return style;
}

CellStyle pen_of(const VTermState* state) {
  CellStyle style;
  VTermValue value;
  const auto flag = [&](VTermAttr attribute) {
    return vterm_state_get_penattr(state, attribute, &value) != 0 && value.boolean != 0;
  };
  const auto number = [&](VTermAttr attribute) {
    return vterm_state_get_penattr(state, attribute, &value) != 0 ? value.number : 0;
  };
  style.bold = flag(VTERM_ATTR_BOLD);
  style.dim = number(VTERM_ATTR_FONT) == kDimFont;
  style.italic = flag(VTERM_ATTR_ITALIC);
  style.underline = number(VTERM_ATTR_UNDERLINE);
  style.blink = flag(VTERM_ATTR_BLINK);
  style.reverse = flag(VTERM_ATTR_REVERSE);
  style.strike = flag(VTERM_ATTR_STRIKE);
  if (vterm_state_get_penattr(state, VTERM_ATTR_FOREGROUND, &value) != 0) style.foreground = colour_of(value.color);
  if (vterm_state_get_penattr(state, VTERM_ATTR_BACKGROUND, &value) != 0) style.background = colour_of(value.color);
  return style;
}

std::string place(int row, int column) { return cat("\x1b[", row + 1, ";", column + 1, "H"); }

}  // namespace

struct ScreenModel::Terminal {
  Terminal(int rows, int columns) : vterm(vterm_new(rows, columns)) {
    vterm_set_utf8(vterm, 1);
    screen = vterm_obtain_screen(vterm);
    vterm_screen_enable_altscreen(screen, 1);
    vterm_screen_reset(screen, 1);
    state = vterm_obtain_state(vterm);
    vterm_output_set_callback(vterm, on_answer, this);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;
  ~Terminal() { vterm_free(vterm); }

  static void on_answer(const char* bytes, std::size_t size, void* self) {
    static_cast<Terminal*>(self)->answers.append(bytes, size);
  }

  VTerm* vterm;
  VTermScreen* screen = nullptr;
  VTermState* state = nullptr;
  std::string answers;
};

ScreenModel::ScreenModel(const winsize& size)
    : rows_(std::clamp<int>(size.ws_row, 1, kMostRows)),
      columns_(std::clamp<int>(size.ws_col, kLeastColumns, kMostColumns)) {}

ScreenModel::~ScreenModel() = default;

void ScreenModel::on_text(std::string_view text) {
  undrawn_.on_text(text);
  last_character_ = last_character(text);
  draw_if_much();
}

void ScreenModel::on_control(char control) {
  modes_.on_control(control);
  const bool ends_line = control == '\n' && undrawn_.ends_with('\r');
  undrawn_.on_control(control);
  if (ends_line)
    note_line();
  else if (control != '\r' && control != '\t')
    end_plain_lines();
  draw_if_much();
}

void ScreenModel::on_escape(std::string_view intermediates, char final) {
  modes_.on_escape(intermediates, final);
  undrawn_.on_escape(intermediates, final);
  end_plain_lines();
  draw_if_much();
}

void ScreenModel::on_sequence(const ControlSequence& sequence) {
  const bool was_alternate = modes_.is_alternate();
  modes_.on_sequence(sequence);
  if (!was_alternate && modes_.is_alternate()) primary_ = read_screen(columns_);
  if (was_alternate && !modes_.is_alternate()) primary_ = {};
  const bool is_style = sequence.final == 'm' && sequence.intermediates.empty();
  if (is_style && !sequence.parameters.starts_with('>') && !sequence.parameters.starts_with('?')) {
    if (const auto known = style_for_model(sequence.parameters)) keep_sequence({*known, "", 'm'});
  } else if (sequence.final == 'b' && sequence.intermediates.empty()) {
    repeat_character(sequence.parameters);
  } else if ((sequence.final == 'h' || sequence.final == 'l') && sequence.intermediates.empty()) {
    draw_modes(sequence);
  } else {
    keep_sequence(sequence);
    if (sequence.final != 'K') end_plain_lines();
  }
  draw_if_much();
}

// libvterm has room for sixteen numbers, and writes on.
void ScreenModel::keep_sequence(const ControlSequence& sequence) {
  const auto separates = [](char byte) { return byte == ';' || byte == ':'; };
  const std::string_view parameters = sequence.parameters;
  if (std::count_if(parameters.begin(), parameters.end(), separates) < kMostNumbers) undrawn_.on_sequence(sequence);
}

// Those that change what is drawn. Without the wrapping of lines (7) libvterm writes wide characters over the edge.
void ScreenModel::draw_modes(const ControlSequence& sequence) {
  const bool is_private = sequence.parameters.starts_with('?');
  const auto modes = sequence_numbers(sequence.parameters.substr(is_private ? 1 : 0));
  if (!modes) return;
  for (const int mode : *modes) {
    const bool is_drawn = is_private ? mode == 6 || mode == 47 || (mode >= 1047 && mode <= 1049) : mode == 4;
    if (is_drawn) keep_sequence({cat(is_private ? "?" : "", mode), "", sequence.final});
  }
  end_plain_lines();
}

// libvterm does not look for the edge of the screen when it does this.
void ScreenModel::repeat_character(std::string_view parameters) {
  const auto numbers = sequence_numbers(parameters);
  const int count = !numbers || numbers->empty() ? 1 : std::max((*numbers)[0], 1);
  for (int done = 0; done < count; ++done) undrawn_.on_text(last_character_);
}

void ScreenModel::on_string(StringKind kind, std::string_view body, bool) { modes_.on_string(kind, body); }

void ScreenModel::end_plain_lines() {
  plain_from_ = undrawn_.size();
  plain_lines_ = 0;
  line_starts_.clear();
}

void ScreenModel::note_line() {
  if (!modes_.scrolls_whole_screen()) return end_plain_lines();
  ++plain_lines_;
  line_starts_.push_back(undrawn_.size());
  if (line_starts_.size() > static_cast<std::size_t>(rows_) + 1) line_starts_.pop_front();
}

// Lines after which as many have come as there are rows have scrolled away, once the cursor has reached the lowest row;
// their styles may go on.
std::string ScreenModel::without_scrolled_lines(const std::string& bytes) const {
  if (plain_lines_ <= 2 * static_cast<std::size_t>(rows_)) return bytes;
  const std::size_t cut = line_starts_.front();
  std::string kept = cat(std::string_view(bytes).substr(0, plain_from_), "\x1b[2J", place(rows_ - 1, 0));
  for (std::size_t at = bytes.find('\x1b', plain_from_); at < cut; at = bytes.find('\x1b', at + 1)) {
    const std::size_t end = bytes.find_first_of("mK", at);
    if (bytes[end] == 'm') kept.append(bytes, at, end + 1 - at);
  }
  return kept.append(bytes, cut, std::string::npos);
}

void ScreenModel::draw_if_much() {
  if (undrawn_.size() >= kMuch) draw_now();
}

void ScreenModel::answer_now() {
  if (answer_ && undrawn_.size() > 0) draw_now();
}

void ScreenModel::draw_now() {
  if (!terminal_) terminal_ = std::make_unique<Terminal>(rows_, columns_);
  const std::string bytes = without_scrolled_lines(undrawn_.take());
  end_plain_lines();
  if (!bytes.empty()) vterm_input_write(terminal_->vterm, bytes.data(), bytes.size());
  const std::string answers = std::exchange(terminal_->answers, {});
  if (answer_ && !answers.empty()) answer_(answers);
}

// A screen of the new size, on which what fits is painted: libvterm's own way of doing this may leave the cursor
// outside.
void ScreenModel::resize(const winsize& size) {
  if (size.ws_row == 0 || size.ws_col == 0) return;
  const int rows = std::min<int>(size.ws_row, kMostRows);
  const int columns = std::clamp<int>(size.ws_col, kLeastColumns, kMostColumns);
  if (rows == rows_ && columns == columns_) return;
  if (!terminal_ && undrawn_.size() == 0) {
    rows_ = rows;
    columns_ = columns;
    return;
  }
  const Screen screen = read_screen(std::min(columns, columns_));
  rows_ = rows;
  columns_ = columns;
  terminal_ = std::make_unique<Terminal>(rows_, columns_);
  const std::string painted = paint_anew(screen);
  draw(painted);
}

// What paint_anew() makes.
void ScreenModel::draw(const std::string& painted) {
  std::string known;
  for (std::size_t at = 0; at < painted.size();) {
    const bool is_wrap = painted.compare(at, 5, "\x1b[?7l") == 0;
    if (!is_wrap) known += painted[at];
    at += is_wrap ? 5 : 1;
  }
  vterm_input_write(terminal_->vterm, known.data(), known.size());
}

void ScreenModel::answer_with(std::function<void(std::string_view)> answer) {
  if (answer && !answer_ && undrawn_.size() > 0) draw_now();  // what was asked before is another's to answer
  answer_ = std::move(answer);
}

// A row of so many columns without what is blank at its end.
std::string ScreenModel::read_row(int row, int columns) const {
  std::string text;
  std::size_t blanks = 0;
  CellStyle style;
  for (int column = 0; column < columns; ++column) {
    VTermScreenCell cell{};
    if (vterm_screen_get_cell(terminal_->screen, VTermPos{row, column}, &cell) == 0) break;
    if (cell.chars[0] == kRestOfWideCharacter) continue;
    if (column + cell.width > columns) break;
    const CellStyle wanted = style_of(cell);
    if (cell.chars[0] == 0 && wanted == CellStyle{}) {
      ++blanks;
      continue;
    }
    if (blanks > 0) {
      if (style != CellStyle{}) text += "\x1b[m";
      style = {};
      text.append(std::exchange(blanks, 0), ' ');
    }
    if (wanted != style) text += style_sequence(wanted);
    style = wanted;
    if (cell.chars[0] == 0) text += ' ';
    for (int at = 0; at < VTERM_MAX_CHARS_PER_CELL && cell.chars[at] != 0; ++at) append_utf8(text, cell.chars[at]);
  }
  if (style != CellStyle{}) text += "\x1b[m";
  return text;
}

std::string ScreenModel::cursor_and_pen() const {
  VTermPos cursor{};
  vterm_state_get_cursorpos(terminal_->state, &cursor);
  return cat(place(cursor.row, cursor.col), pen());
}

std::string ScreenModel::pen() const { return cat(style_sequence(pen_of(terminal_->state)), modes_.set_up_last()); }

ScreenModel::Screen ScreenModel::read_screen(int columns) {
  draw_now();
  Screen screen;
  for (int row = 0; row < rows_; ++row) screen.rows.push_back(read_row(row, columns));
  VTermPos cursor{};
  vterm_state_get_cursorpos(terminal_->state, &cursor);
  screen.cursor_row = cursor.row;
  screen.cursor_column = cursor.col;
  screen.pen = pen();
  return screen;
}

// Of one that was higher those rows that keep the cursor in sight; what is too wide is cut off.
std::string ScreenModel::paint(const Screen& screen) const {
  std::string bytes = "\x1b[m\x1b[2J\x1b[?7l";
  const int above = std::max(0, screen.cursor_row - (rows_ - 1));
  const int count = std::min(static_cast<int>(screen.rows.size()) - above, rows_);
  for (int row = 0; row < count; ++row) {
    const std::string& text = screen.rows[static_cast<std::size_t>(above + row)];
    if (!text.empty()) bytes += cat(place(row, 0), text);
  }
  return bytes + "\x1b[?7h";
}

std::string ScreenModel::paint_cursor(const Screen& screen) const {
  const int above = std::max(0, screen.cursor_row - (rows_ - 1));
  return cat(place(screen.cursor_row - above, std::min(screen.cursor_column, columns_ - 1)), screen.pen);
}

std::string ScreenModel::paint_anew(const Screen& screen) const {
  std::string bytes = cat(forget_modes(), "\x1b[?2026h");  // drawn at once where the terminal can
  if (modes_.is_alternate()) bytes += cat(paint(primary_), paint_cursor(primary_), kPlainSets, "\x1b[?1049h");
  return cat(bytes, paint(screen), modes_.set_up(), "\x1b[?2026l", paint_cursor(screen));
}

std::string ScreenModel::repaint() { return paint_anew(read_screen(columns_)); }

std::string ScreenModel::paint_message(std::string_view message, const winsize& window) {
  draw_now();
  const int row = std::max(std::min<int>(window.ws_row, rows_) - 1, 0);
  const auto columns = static_cast<std::size_t>(std::max(std::min<int>(window.ws_col, columns_), 1));
  return cat(kPlainSets, place(row, 0), "\x1b[m\x1b[7m", message.substr(0, columns), "\x1b[m\x1b[K", cursor_and_pen());
}

}  // namespace agentctl::manager
