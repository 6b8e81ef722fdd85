// SPDX-License-Identifier: Apache-2.0
#include "bwrap/git_config.h"

#include <utility>

#include "base/text.h"

namespace agentctl::bwrap {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
constexpr char kEnd = '\0';  // no text that holds one is read

// Not isalnum(3) and its like, which depend on the locale.
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_name_char(char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '-'; }
bool is_blank(char c) { return c == ' ' || c == '\t'; }
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {
    if (text_.starts_with(kByteOrderMark)) text_.remove_prefix(kByteOrderMark.size());
  }

  Result<std::vector<GitSetting>> read() {
    if (text_.find(kEnd) != std::string_view::npos) return fault("a NUL byte");
    while (peek() != kEnd) AGENTCTL_TRY_VOID(read_item());
    return std::move(settings_);
  }

 private:
  [[nodiscard]] Error fault(std::string_view what) const {
    return make_error(ErrorKind::policy, cat("line ", line_, ": ", what));
  }

  [[nodiscard]] char peek() const {
    if (at_ >= text_.size()) return kEnd;
    return is_line_end() ? '\n' : text_[at_];
  }
  [[nodiscard]] bool is_line_end() const { return text_.substr(at_, 2) == "\r\n"; }

  char take() {
    const char c = peek();
    if (c == kEnd) return c;
    at_ += is_line_end() ? 2 : 1;
    if (c == '\n') ++line_;
    return c;
  }

  void skip_line() {
    while (peek() != kEnd && take() != '\n') {
    }
  }

  Result<void> read_item() {
    const char c = peek();
    if (is_blank(c) || c == '\n') {
      take();
      return {};
    }
    if (c == '#' || c == ';') {
      skip_line();
      return {};
    }
    if (c == '[') return read_section();
    if (is_letter(c)) return read_setting();
    return fault("neither a section nor a name");
  }

  Result<void> read_section() {
    take();
    section_.clear();
    while (is_name_char(peek()) || peek() == '.') section_ += lower(take());
    if (section_.empty()) return fault("a section without a name");
    if (is_blank(peek())) AGENTCTL_TRY_VOID(read_subsection());
    if (take() != ']') return fault("a section that is not closed");
    return {};
  }

  Result<void> read_subsection() {
    while (is_blank(peek())) take();
    if (take() != '"') return fault("a subsection that is not quoted");
    section_ += '.';
    while (peek() != '"') {
      if (peek() == '\\') take();
      if (peek() == kEnd || peek() == '\n') return fault("a subsection that is not closed");
      section_ += take();
    }
    take();
    return {};
  }

  Result<void> read_setting() {
    if (section_.empty()) return fault("a name outside of every section");
    GitSetting setting;
    setting.key = section_ + '.';
    while (is_name_char(peek())) setting.key += lower(take());
    while (is_blank(peek())) take();
    if (peek() == '=') {
      take();
      setting.value = AGENTCTL_TRY(read_value());
    } else if (peek() == '\n' || peek() == kEnd || peek() == '#' || peek() == ';') {
      setting.value = "true";
      skip_line();
    } else {
      return fault("a name that is followed by something else than '='");
    }
    settings_.push_back(std::move(setting));
    return {};
  }

  Result<std::string> read_value() {
    std::string value;
    std::size_t kept = 0;  // blanks at the end do not count, unless quoted
    bool quoted = false;
    while (is_blank(peek())) take();
    while (true) {
      const char c = take();
      if (c == kEnd || c == '\n') break;
      if (!quoted && (c == '#' || c == ';')) {
        skip_line();
        break;
      }
      if (c == '"') {
        quoted = !quoted;
      } else if (c == '\\') {
        AGENTCTL_TRY_VOID(read_escape(value));
      } else {
        value += c;
        if (!quoted && is_blank(c)) continue;
      }
      kept = value.size();
    }
    if (quoted) return fault("a value that is not closed");
    value.resize(kept);
    return value;
  }

  Result<void> read_escape(std::string& value) {
    switch (take()) {
      case '\n':
        return {};
      case 't':
        value += '\t';
        return {};
      case 'b':
        value += '\b';
        return {};
      case 'n':
        value += '\n';
        return {};
      case '\\':
        value += '\\';
        return {};
      case '"':
        value += '"';
        return {};
      default:
        return fault("an escape that means nothing");
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
  std::string section_;
  std::vector<GitSetting> settings_;
};

}  // namespace

Result<std::vector<GitSetting>> parse_git_config(std::string_view text) { return Reader(text).read(); }

std::optional<std::string> find_setting(const std::vector<GitSetting>& settings, std::string_view key) {
  std::optional<std::string> found;
  for (const GitSetting& setting : settings) {
    if (setting.key == key) found = setting.value;
  }
  return found;
}

}  // namespace agentctl::bwrap
