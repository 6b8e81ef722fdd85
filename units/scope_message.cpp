// SPDX-License-Identifier: Apache-2.0
#include "units/scope_message.h"

#include <charconv>
#include <cstdint>
#include <optional>

#include "base/text.h"

namespace agentctl::units {
namespace {

std::string optional_word(const std::optional<std::uint64_t>& number) { return number ? std::to_string(*number) : ""; }

// Takes words from the front; a missing or malformed one is remembered and the rest reads as nothing.
class WordReader {
 public:
  explicit WordReader(const Words& words) : words_(words) {}

  std::string text() { return at_ < words_.size() ? words_[at_++] : fail(); }
  template <typename Number>
  Number number() {
    return parse<Number>(text());
  }
  std::optional<std::uint64_t> optional_number() {
    const std::string word = text();
    return word.empty() ? std::nullopt : std::optional(parse<std::uint64_t>(word));
  }
  [[nodiscard]] bool has_more() const { return sound_ && at_ < words_.size(); }
  [[nodiscard]] bool is_sound() const { return sound_ && at_ == words_.size(); }

 private:
  std::string fail() {
    sound_ = false;
    return {};
  }
  template <typename Number>
  Number parse(const std::string& word) {
    Number value{};
    const auto parsed = std::from_chars(word.data(), word.data() + word.size(), value);
    if (parsed.ec != std::errc{} || parsed.ptr != word.data() + word.size()) fail();
    return value;
  }

  const Words& words_;
  std::size_t at_ = 0;
  bool sound_ = true;
};

Error damaged(const char* what) { return make_error(ErrorKind::internal, cat("cannot understand ", what)); }

}  // namespace

std::string join_words(const Words& words) {
  std::string text;
  for (const std::string& word : words) {
    text += word;
    text += '\0';
  }
  return text;
}

Words split_words(std::string_view text) {
  Words words = split(text, '\0');
  words.pop_back();  // each word ends with a NUL, so the last piece is empty
  return words;
}

Words to_words(const ScopeRequest& request) {
  const ScopeLimits& limits = request.limits;
  Words words = {request.unit,
                 request.slice,
                 request.description,
                 request.bound_to,
                 std::to_string(limits.memory_max),
                 optional_word(limits.memory_high),
                 std::to_string(limits.memory_swap_max),
                 std::to_string(limits.cpu_quota_per_sec_usec),
                 std::to_string(limits.cpu_weight),
                 std::to_string(limits.tasks_max),
                 optional_word(limits.io_weight),
                 limits.oom_kills_all ? "1" : "0"};
  for (const pid_t pid : request.pids) words.push_back(std::to_string(pid));
  return words;
}

Result<ScopeRequest> parse_scope_request(const Words& words) {
  WordReader reader(words);
  ScopeRequest request;
  request.unit = reader.text();
  request.slice = reader.text();
  request.description = reader.text();
  request.bound_to = reader.text();
  request.limits.memory_max = reader.number<std::uint64_t>();
  request.limits.memory_high = reader.optional_number();
  request.limits.memory_swap_max = reader.number<std::uint64_t>();
  request.limits.cpu_quota_per_sec_usec = reader.number<std::uint64_t>();
  request.limits.cpu_weight = reader.number<std::uint64_t>();
  request.limits.tasks_max = reader.number<std::uint64_t>();
  request.limits.io_weight = reader.optional_number();
  request.limits.oom_kills_all = reader.text() == "1";
  while (reader.has_more()) request.pids.push_back(reader.number<pid_t>());
  if (!reader.is_sound()) return damaged("a request for a scope");
  return request;
}

Words to_words(const SliceRequest& request) {
  const SliceLimits& limits = request.limits;
  return {request.slice,
          optional_word(limits.memory_max),
          optional_word(limits.memory_high),
          optional_word(limits.memory_swap_max),
          optional_word(limits.cpu_quota_per_sec_usec),
          optional_word(limits.tasks_max)};
}

Result<SliceRequest> parse_slice_request(const Words& words) {
  WordReader reader(words);
  SliceRequest request;
  request.slice = reader.text();
  request.limits.memory_max = reader.optional_number();
  request.limits.memory_high = reader.optional_number();
  request.limits.memory_swap_max = reader.optional_number();
  request.limits.cpu_quota_per_sec_usec = reader.optional_number();
  request.limits.tasks_max = reader.optional_number();
  if (!reader.is_sound()) return damaged("a request for a slice");
  return request;
}

Words to_words(const ScopeStarted& started) {
  Words words = {started.control_group, std::to_string(started.manager_version)};
  words.insert(words.end(), started.dropped.begin(), started.dropped.end());
  return words;
}

Result<ScopeStarted> parse_scope_started(const Words& words) {
  WordReader reader(words);
  ScopeStarted started;
  started.control_group = reader.text();
  started.manager_version = reader.number<int>();
  while (reader.has_more()) started.dropped.push_back(reader.text());
  if (!reader.is_sound()) return damaged("what was said of a scope");
  return started;
}

Words to_words(const Error& error) {
  return {std::to_string(static_cast<int>(error.kind)), std::to_string(error.sys_errno), error.message, error.hint};
}

Error parse_error(const Words& words) {
  WordReader reader(words);
  Error error;
  error.kind = static_cast<ErrorKind>(reader.number<int>());
  error.sys_errno = reader.number<int>();
  error.message = reader.text();
  error.hint = reader.text();
  return reader.is_sound() ? error : damaged("an error");
}

}  // namespace agentctl::units
