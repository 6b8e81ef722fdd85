// SPDX-License-Identifier: Apache-2.0
#include "manager/json_value.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"

namespace agentctl::manager {
namespace {

constexpr int kDeepest = 16;

void append_utf8(std::string& out, std::uint32_t code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0 | (code >> 6));
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    out += static_cast<char>(0xE0 | (code >> 12));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | (code >> 18));
    out += static_cast<char>(0x80 | ((code >> 12) & 0x3F));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  }
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  bool document(JsonValue& value) { return read_value(value, 0) && (skip(), at_ == text_.size()); }
  [[nodiscard]] std::size_t at() const { return at_; }

 private:
  void skip() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos) ++at_;
  }
  bool take(std::string_view word) {
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }

  bool read_value(JsonValue& value, int depth) {
    skip();
    if (depth > kDeepest || at_ == text_.size()) return false;
    switch (text_[at_]) {
      case '{':
        return read_object(value, depth);
      case '[':
        return read_list(value, depth);
      case '"':
        value.kind = JsonValue::Kind::text;
        return read_text(value.text);
      default:
        return read_word(value);
    }
  }

  bool read_word(JsonValue& value) {
    if (take("null")) return true;
    for (const std::string_view word : {"true", "false"}) {
      if (!take(word)) continue;
      value.kind = JsonValue::Kind::boolean;
      value.text = word;
      return true;
    }
    const std::size_t end = std::min(text_.find_first_not_of("+-.0123456789eE", at_), text_.size());
    value.kind = JsonValue::Kind::number;
    value.text = text_.substr(at_, end - at_);
    at_ = end;
    double number = 0;
    const char* last = value.text.data() + value.text.size();
    const auto parsed = std::from_chars(value.text.data(), last, number);
    return parsed.ec == std::errc{} && parsed.ptr == last;
  }

  bool read_list(JsonValue& value, int depth) {
    value.kind = JsonValue::Kind::list;
    ++at_;
    skip();
    if (take("]")) return true;
    do {
      if (!read_value(value.items.emplace_back(), depth + 1)) return false;
      skip();
    } while (take(","));
    return take("]");
  }

  bool read_object(JsonValue& value, int depth) {
    value.kind = JsonValue::Kind::object;
    ++at_;
    skip();
    if (take("}")) return true;
    do {
      skip();
      auto& [key, member] = value.members.emplace_back();
      if (!read_text(key)) return false;
      skip();
      if (!take(":") || !read_value(member, depth + 1)) return false;
      skip();
    } while (take(","));
    return take("}");
  }

  bool read_code(std::uint32_t& code) {
    if (text_.size() - at_ < 4) return false;
    const char* begin = text_.data() + at_;
    const auto parsed = std::from_chars(begin, begin + 4, code, 16);
    at_ += 4;
    return parsed.ec == std::errc{} && parsed.ptr == begin + 4;
  }

  bool read_escape(std::string& out) {
    constexpr std::string_view kNames = "\"\\/bfnrt";
    constexpr std::string_view kValues = "\"\\/\b\f\n\r\t";
    if (at_ == text_.size()) return false;
    const char name = text_[at_++];
    if (const std::size_t known = kNames.find(name); known != std::string_view::npos) {
      out += kValues[known];
      return true;
    }
    std::uint32_t code = 0;
    if (name != 'u' || !read_code(code)) return false;
    if (code >= 0xD800 && code < 0xDC00) {
      std::uint32_t low = 0;
      if (!take("\\u") || !read_code(low) || low < 0xDC00 || low > 0xDFFF) return false;
      code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    } else if (code >= 0xDC00 && code < 0xE000) {
      return false;
    }
    append_utf8(out, code);
    return true;
  }

  bool read_text(std::string& out) {
    if (!take("\"")) return false;
    while (at_ < text_.size()) {
      const char character = text_[at_++];
      if (character == '"') return true;
      if (static_cast<unsigned char>(character) < 0x20) return false;
      if (character != '\\') {
        out += character;
      } else if (!read_escape(out)) {
        return false;
      }
    }
    return false;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

const JsonValue& JsonValue::operator[](std::string_view key) const {
  static const JsonValue nothing;
  for (const auto& [name, member] : members) {
    if (name == key) return member;
  }
  return nothing;
}

std::uint64_t JsonValue::number() const {
  std::uint64_t value = 0;
  if (kind == Kind::number) std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

Result<JsonValue> parse_json(std::string_view text) {
  JsonValue value;
  Parser parser(text);
  if (!parser.document(value)) return make_error(ErrorKind::system, cat("not JSON at byte ", parser.at()));
  return value;
}

}  // namespace agentctl::manager
