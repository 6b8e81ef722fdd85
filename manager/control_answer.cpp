// SPDX-License-Identifier: Apache-2.0
#include "manager/control_answer.h"

#include "base/text.h"

namespace agentctl::manager {
namespace {

constexpr std::string_view kError = "error ";
constexpr std::string_view kHint = "hint ";

}  // namespace

std::string to_answer(const Result<void>& done) {
  if (done) return "ok";
  const Error& error = done.error();
  std::string text = cat(kError, printable(error.message));
  if (!error.hint.empty()) text += cat("\n", kHint, printable(error.hint));
  return text;
}

Result<void> parse_answer(std::string_view text) {
  if (text == "ok") return {};
  Error error = make_error(ErrorKind::system, "it gave an answer that cannot be understood");
  for_each_part(text, '\n', [&](std::string_view line) {
    if (line.starts_with(kError)) error.message = printable(line.substr(kError.size()));
    if (line.starts_with(kHint)) error.hint = printable(line.substr(kHint.size()));
  });
  return error;
}

}  // namespace agentctl::manager
