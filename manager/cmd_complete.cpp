// SPDX-License-Identifier: Apache-2.0
// What the scripts of packaging/completions ask at each Tab. The answer's first line says what the rest is, or what the
// shell itself looks up; never a word on standard error: that would stand in the middle of what is being typed.
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/text.h"
#include "manager/commands.h"
#include "manager/completion/candidates.h"
#include "manager/completion/expectation.h"
#include "manager/completion/shell_line.h"
#include "manager/completion/shell_scripts.h"
#include "manager/exit_status.h"

namespace agentctl::manager {
namespace {

using Kind = Expectation::Kind;
using Words = std::vector<std::string>;

bool is_among(const std::string& word, const Words& words) {
  return std::find(words.begin(), words.end() - 1, word) != words.end() - 1;
}

// Those that go on from what is typed of the last word, as whole words.
std::vector<Candidate> fitting(Expectation expected, const Words& words) {
  const bool are_sessions = expected.kind == Kind::running_sessions;
  for (Candidate& candidate : look_up(expected.kind)) {
    if (are_sessions && is_among(candidate.word, words)) continue;  // stop NAME…
    expected.candidates.push_back({expected.kept + candidate.word, std::move(candidate.help)});
  }
  std::erase_if(expected.candidates,
                [&](const Candidate& candidate) { return !candidate.word.starts_with(words.back()); });
  return expected.candidates;
}

std::string_view name_of(Kind kind) {
  if (kind == Kind::files) return "files";
  if (kind == Kind::directories) return "directories";
  if (kind == Kind::hosts) return "hosts";
  return kind == Kind::command ? "command" : "words";
}

// bash: LINE up to the cursor, and the part of it that readline would replace.
std::string answer_bash(const std::string& typed, const std::string& part) {
  const ShellLine line = read_shell_line(typed);
  if (line.words.size() < 2) return {};
  const Words words(line.words.begin() + 1, line.words.end());
  const Expectation expected = expect(words);
  std::string answer = cat(name_of(expected.kind), "\n");
  if (expected.kind == Kind::command) return answer + typed.substr(0, line.begins[expected.command_at + 1]) + "\n";
  const std::size_t kept = kept_by_readline(words.back(), part);
  for (const Candidate& candidate : fitting(expected, words)) answer += cat(candidate.word.substr(kept), "\n");
  return answer;
}

// zsh, fish: the words after "agentctl" up to the cursor, without quotes.
std::string answer_words(const Words& words) {
  if (words.empty()) return {};
  const Expectation expected = expect(words);
  const std::size_t number = expected.kind == Kind::command ? expected.command_at : expected.kept.size();
  std::string answer = cat(name_of(expected.kind), " ", number, "\n");
  for (const Candidate& candidate : fitting(expected, words)) {
    answer += cat(candidate.word, candidate.help.empty() ? "" : "\t", candidate.help, "\n");
  }
  return answer;
}

}  // namespace

Result<int> run_complete(const CompleteOptions& options) {
  const Words& words = options.words;
  std::string answer;
  if (!words.empty() && words[0] == "bash" && words.size() == 3) answer = answer_bash(words[1], words[2]);
  if (!words.empty() && words[0] == "words") answer = answer_words({words.begin() + 1, words.end()});
  const bool is_told = !answer.empty() && write_all(1, answer);
  return is_told ? kExitSuccess : kExitRuntime;
}

Result<int> run_completion(const CompletionOptions& options) {
  for (const EmbeddedText& script : shell_scripts()) {
    if (script.name != options.shell) continue;
    AGENTCTL_TRY_VOID(write_all(1, script.text));
    return kExitSuccess;
  }
  return make_error(ErrorKind::usage, cat("no completion for the shell '", printable(options.shell), "'"),
                    "there is one for bash, zsh and fish");
}

}  // namespace agentctl::manager
