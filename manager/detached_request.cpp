// SPDX-License-Identifier: Apache-2.0
#include "manager/detached_request.h"

#include <charconv>
#include <cstdint>
#include <optional>

#include "base/text.h"
#include "units/unit_name.h"

namespace agentctl::manager {
namespace {

constexpr std::string_view kForm = "agentctl detached 1";
constexpr unsigned kMaxFileMask = 0777;
constexpr unsigned kMaxWindow = 0xffff;

void append_word(std::string& text, std::string_view word) {
  text += word;
  text += '\0';
}

void append_list(std::string& text, const std::vector<std::string>& list) {
  append_word(text, cat(list.size()));
  for (const std::string& word : list) append_word(text, word);
}

bool is_assignment(std::string_view entry) {
  const std::size_t equals = entry.find('=');
  return equals != std::string_view::npos && equals > 0;
}

// Takes words from the front; after the first that is not there or not sound everything reads as nothing.
class WordReader {
 public:
  explicit WordReader(std::string_view rest) : rest_(rest) {}

  std::string text() {
    const std::size_t end = rest_.find('\0');
    if (end == std::string_view::npos) return fail();
    std::string word(rest_.substr(0, end));
    rest_.remove_prefix(end + 1);
    return word;
  }
  unsigned number(unsigned most) {
    const std::string word = text();
    unsigned value = 0;
    const auto parsed = std::from_chars(word.data(), word.data() + word.size(), value);
    const bool sound = parsed.ec == std::errc{} && parsed.ptr == word.data() + word.size() && value <= most;
    if (!sound || word != cat(value)) fail();
    return sound_ ? value : 0;
  }
  std::vector<std::string> list() {
    const unsigned count = number(static_cast<unsigned>(kMaxRequestBytes));
    std::vector<std::string> words;
    while (sound_ && words.size() < count) words.push_back(text());
    return words;
  }
  [[nodiscard]] bool is_sound() const { return sound_ && rest_.empty(); }

 private:
  std::string fail() {
    sound_ = false;
    rest_ = {};
    return {};
  }

  std::string_view rest_;
  bool sound_ = true;
};

}  // namespace

std::string serialize(const DetachedRequest& request) {
  std::string text;
  append_word(text, kForm);
  append_word(text, request.session_id);
  append_word(text, cat(request.file_mask));
  append_word(text, cat(request.window.rows));
  append_word(text, cat(request.window.columns));
  append_list(text, request.surroundings);
  append_list(text, request.groups);
  append_list(text, request.words);
  std::vector<std::string> environment;
  for (const std::string& entry : request.environment) {
    if (is_assignment(entry)) environment.push_back(entry);
  }
  append_list(text, environment);
  return text;
}

Result<DetachedRequest> parse_detached_request(std::string_view text) {
  const Error damaged = make_error(ErrorKind::internal, "cannot understand the request for a detached session");
  if (text.size() > kMaxRequestBytes) return damaged;
  WordReader reader(text);
  if (reader.text() != kForm) return damaged;
  DetachedRequest request;
  request.session_id = reader.text();
  request.file_mask = reader.number(kMaxFileMask);
  request.window.rows = static_cast<unsigned short>(reader.number(kMaxWindow));
  request.window.columns = static_cast<unsigned short>(reader.number(kMaxWindow));
  request.surroundings = reader.list();
  request.groups = reader.list();
  request.words = reader.list();
  request.environment = reader.list();
  bool sound = reader.is_sound() && units::is_session_id(request.session_id) && !request.words.empty();
  for (const std::string& entry : request.environment) sound = sound && is_assignment(entry);
  if (!sound) return damaged;
  return request;
}

}  // namespace agentctl::manager
