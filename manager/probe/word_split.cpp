// SPDX-License-Identifier: Apache-2.0
#include "manager/probe/word_split.h"

#include "base/text.h"

namespace agentctl::probe {
namespace {

constexpr std::string_view kBlank = " \t\n";
constexpr std::string_view kOperators = "|&;<>()";
constexpr std::string_view kPatterns = "*?[";
constexpr std::string_view kEscapedInQuotes = "$`\"\\";

bool is_in(char character, std::string_view set) { return set.find(character) != std::string_view::npos; }

bool is_digit(char character) { return character >= '0' && character <= '9'; }
bool is_letter(char character) {
  return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z') || character == '_';
}

Error refuse(std::string_view what, char character) {
  return make_error(ErrorKind::usage,
                    cat("cannot split the command line: ", what, " '", printable({&character, 1}), "'"),
                    "no shell is run: quote it");
}

Error unfinished(std::string_view what) {
  return make_error(ErrorKind::usage, cat("cannot split the command line: ", what, " without an end"));
}

class Splitter {
 public:
  Splitter(std::string_view line, const LookUpVariable& look_up) : rest_(line), look_up_(look_up) {}

  Result<std::vector<std::string>> split() {
    while (!rest_.empty()) {
      const char character = take();
      if (is_in(character, kBlank)) {
        end_word();
        continue;
      }
      if (character == '#' && !in_word_) break;
      if (is_in(character, kOperators)) return refuse("it has the shell operator", character);
      if (character == '`') return refuse("a shell would run", character);
      if (is_in(character, kPatterns)) return refuse("a shell would take for a pattern", character);
      if (character == '~' && !in_word_) return refuse("a shell would expand", character);
      if (character == '\\' && rest_.starts_with('\n')) {  // the line goes on
        (void)take();
        continue;
      }
      in_word_ = true;
      if (character == '\'') {
        AGENTCTL_TRY_VOID(take_single_quoted());
      } else if (character == '"') {
        AGENTCTL_TRY_VOID(take_double_quoted());
      } else if (character == '\\') {
        if (rest_.empty()) return unfinished("a backslash");
        word_ += take();
      } else if (character == '$') {
        AGENTCTL_TRY_VOID(take_variable());
      } else {
        word_ += character;
      }
    }
    end_word();
    return std::move(words_);
  }

 private:
  char take() {
    const char character = rest_.front();
    rest_.remove_prefix(1);
    return character;
  }

  void end_word() {
    if (in_word_) words_.push_back(std::move(word_));
    word_.clear();
    in_word_ = false;
  }

  Result<void> take_single_quoted() {
    const std::size_t end = rest_.find('\'');
    if (end == std::string_view::npos) return unfinished("a single quote");
    word_ += rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return {};
  }

  Result<void> take_double_quoted() {
    while (!rest_.empty()) {
      const char character = take();
      if (character == '"') return {};
      if (character == '`') return refuse("a shell would run", character);
      if (character == '$') {
        AGENTCTL_TRY_VOID(take_variable());
        continue;
      }
      if (character != '\\' || rest_.empty()) {
        word_ += character;
        continue;
      }
      const char escaped = take();
      if (escaped == '\n') continue;
      if (!is_in(escaped, kEscapedInQuotes)) word_ += '\\';
      word_ += escaped;
    }
    return unfinished("a double quote");
  }

  // After the '$'.
  Result<void> take_variable() {
    const bool braced = rest_.starts_with('{');
    if (braced) rest_.remove_prefix(1);
    std::string name;
    while (!rest_.empty() && (is_letter(rest_.front()) || (!name.empty() && is_digit(rest_.front())))) name += take();
    if (name.empty()) return refuse("a shell would expand", '$');
    if (braced && (rest_.empty() || take() != '}')) return refuse("a shell would expand", '$');
    const auto value = look_up_(name);
    if (!value) return make_error(ErrorKind::usage, cat("cannot split the command line: '", name, "' is not set"));
    word_ += *value;
    return {};
  }

  std::string_view rest_;
  const LookUpVariable& look_up_;
  std::vector<std::string> words_;
  std::string word_;
  bool in_word_ = false;
};

}  // namespace

Result<std::vector<std::string>> split_words(std::string_view line, const LookUpVariable& look_up) {
  return Splitter(line, look_up).split();
}

}  // namespace agentctl::probe
