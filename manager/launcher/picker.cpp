// SPDX-License-Identifier: Apache-2.0
#include "manager/launcher/picker.h"

#include "base/quantity.h"
#include "base/text.h"

namespace agentctl::launcher {
namespace {

bool looks_like_path(std::string_view line) {
  return line.starts_with('/') || line.starts_with('~') || line.starts_with("./") || line.starts_with("../") ||
         line == "." || line == "..";
}

bool is_number(std::string_view line) {
  return !line.empty() && line.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

Picker::Picker(Question question) : question_(std::move(question)) { show_all(); }

void Picker::show_all() {
  shown_.clear();
  for (std::size_t item = 0; item < question_.labels.size(); ++item) shown_.push_back(item);
}

std::string Picker::screen() const {
  std::string text = cat(question_.text, ":\n");
  const std::size_t width = std::to_string(question_.labels.size()).size();
  for (const std::size_t item : shown_) {
    const std::string number = std::to_string(item + 1);
    text += cat("  ", std::string(width - number.size(), ' '), number, "  ", question_.labels[item], "\n");
  }
  if (!remark_.empty()) text += cat(remark_, "\n");
  const bool is_empty = question_.labels.empty();
  text += is_empty ? "Path of a directory" : "Number or part of the name";
  if (!is_empty && question_.takes_directory) text += ", or the path of another directory";
  if (!shown_.empty()) text += cat(" [", shown_.front() + 1, "]");
  return text + ": ";
}

Choice Picker::answer(std::string_view line) {
  remark_.clear();
  // A name may begin or end with a blank; a path is taken as it stands.
  if (question_.takes_directory && looks_like_path(line)) return {Choice::Kind::directory, 0, std::string(line)};
  const std::string_view text = trim(line);
  if (text.empty() && !shown_.empty()) return {Choice::Kind::item, shown_.front(), {}};
  if (is_number(text)) {
    const auto number = parse_count(text);
    if (number && *number >= 1 && *number <= question_.labels.size())
      return {Choice::Kind::item, static_cast<std::size_t>(*number - 1), {}};
  }
  return filter(text);
}

Choice Picker::filter(std::string_view text) {
  const std::string wanted = ascii_lower(text);
  std::vector<std::size_t> left;
  for (std::size_t item = 0; item < question_.labels.size(); ++item) {
    if (ascii_lower(question_.labels[item]).find(wanted) != std::string::npos) left.push_back(item);
  }
  if (left.size() == 1) return {Choice::Kind::item, left.front(), {}};
  show_all();
  if (left.empty()) {
    remark_ = text.empty() ? "Nothing is typed." : cat("Nothing here has '", printable(text), "' in it.");
  } else {
    shown_ = std::move(left);
  }
  return {};
}

}  // namespace agentctl::launcher
