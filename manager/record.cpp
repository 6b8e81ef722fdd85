// SPDX-License-Identifier: Apache-2.0
#include "manager/record.h"

#include <charconv>
#include <map>
#include <optional>

#include "base/text.h"

namespace agentctl::manager {
namespace {

// Values are on one line: backslash, newline and the list separator are escaped.
constexpr char kListSeparator = '\t';

void append_escaped(std::string& out, std::string_view text) {
  constexpr char kEscaped[] = {'\\', '\n', kListSeparator};
  if (text.find_first_of({kEscaped, sizeof kEscaped}) == std::string_view::npos) {
    out += text;
    return;
  }
  for (const char character : text) {
    switch (character) {
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case kListSeparator:
        out += "\\t";
        break;
      default:
        out += character;
    }
  }
}

std::string unescape(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '\\' || at + 1 == text.size()) {
      out += text[at];
      continue;
    }
    const char code = text[++at];
    out += code == 'n' ? '\n' : code == 't' ? kListSeparator : code;
  }
  return out;
}

// The same list of fields serves both directions, so that they cannot drift.
class Writer {
 public:
  void field(const char* key, const std::string& value) {
    text_ += key;
    text_ += '=';
    append_escaped(text_, value);
    text_ += '\n';
  }
  template <typename N>
  requires std::is_integral_v<N>
  void field(const char* key, N value) { text_ += cat(key, "=", value, "\n"); }
  void field(const char* key, bool value) { text_ += cat(key, value ? "=1\n" : "=0\n"); }
  void field(const char* key, const std::optional<std::uint64_t>& value) {
    if (value) field(key, *value);
  }
  void field(const char* key, const std::vector<std::string>& list) {
    for (const std::string& entry : list) field(key, entry);  // one line an entry: an empty list and [""] differ
  }
  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

class Reader {
 public:
  explicit Reader(std::string_view text) {
    for (const std::string& line : split(text, '\n')) {
      const std::size_t equals = line.find('=');
      if (equals != std::string::npos)
        values_[line.substr(0, equals)].push_back(unescape(std::string_view(line).substr(equals + 1)));
    }
  }
  void field(const char* key, std::string& value) {
    if (const std::string* found = first(key)) value = *found;
  }
  template <typename N>
  requires std::is_integral_v<N>
  void field(const char* key, N& value) {
    if (const std::string* found = first(key)) {
      const auto parsed = std::from_chars(found->data(), found->data() + found->size(), value);
      if (parsed.ec != std::errc{} || parsed.ptr != found->data() + found->size()) damaged_ = key;
    }
  }
  void field(const char* key, bool& value) {
    if (const std::string* found = first(key)) value = *found == "1";
  }
  void field(const char* key, std::optional<std::uint64_t>& value) {
    if (first(key) == nullptr) return;
    value = 0;
    field(key, *value);
  }
  void field(const char* key, std::vector<std::string>& list) { list = values_[key]; }
  [[nodiscard]] const char* damaged() const { return damaged_; }

 private:
  const std::string* first(const char* key) {
    const auto found = values_.find(key);
    return found == values_.end() || found->second.empty() ? nullptr : &found->second.front();
  }
  std::map<std::string, std::vector<std::string>> values_;
  const char* damaged_ = nullptr;
};

template <typename Visitor, typename AnyRecord>
void visit_fields(Visitor& visitor, AnyRecord& record) {
  visitor.field("ID", record.id);
  visitor.field("NAME", record.name);
  visitor.field("STATE", record.state);
  visitor.field("PROFILE", record.profile);
  visitor.field("PROJECT", record.project);
  visitor.field("COMMAND", record.command);
  visitor.field("PARENT_KIND", record.parent_kind);
  visitor.field("PARENT_PID", record.parent_pid);
  visitor.field("STARTED", record.started_usec);
  visitor.field("UNIT", record.unit);
  visitor.field("SLICE", record.slice);
  visitor.field("MANAGER", record.manager);
  visitor.field("MANAGER_VERSION", record.manager_version);
  visitor.field("CGROUP_PATH", record.cgroup_path);
  visitor.field("CGROUP_DIRECTORY", record.cgroup_directory);
  visitor.field("CGROUP_ID", record.cgroup_id);
  visitor.field("CGROUP_VERSION", record.cgroup_version);
  visitor.field("MEMORY_MAX", record.limits.memory_max);
  visitor.field("MEMORY_HIGH", record.limits.memory_high);
  visitor.field("MEMORY_SWAP_MAX", record.limits.memory_swap_max);
  visitor.field("CPU_QUOTA_PER_SEC_USEC", record.limits.cpu_quota_per_sec_usec);
  visitor.field("CPU_WEIGHT", record.limits.cpu_weight);
  visitor.field("TASKS_MAX", record.limits.tasks_max);
  visitor.field("IO_WEIGHT", record.limits.io_weight);
  visitor.field("OOM_KILLS_ALL", record.limits.oom_kills_all);
  visitor.field("UNLIMITED", record.unlimited);
  visitor.field("RUNTIME_MAX_USEC", record.runtime_max_usec);
  visitor.field("NETWORK", record.network);
  visitor.field("TTY", record.tty);
  visitor.field("SUPERVISOR_PID", record.supervisor.pid);
  visitor.field("SUPERVISOR_START_TIME", record.supervisor.start_time);
  visitor.field("LEADER_PID", record.leader.pid);
  visitor.field("LEADER_START_TIME", record.leader.start_time);
  visitor.field("BOOT_ID", record.boot_id);
  visitor.field("NAMESPACES", record.namespaces);
  visitor.field("HIDDEN", record.hidden);
  visitor.field("PROJECT_RULES", record.project_rules);
  visitor.field("WRITABLE", record.writable);
  visitor.field("WARNINGS", record.warnings);
  visitor.field("SURFACE_ROOTS", record.surface_roots);
  visitor.field("SURFACE_STAMP", record.surface_mark.stamp);
  visitor.field("SURFACE_BOOT", record.surface_mark.boot);
}

}  // namespace

std::string serialize(const Record& record) {
  Writer writer;
  visit_fields(writer, record);
  return writer.take();
}

Result<Record> parse_record(std::string_view text) {
  Record record;
  Reader reader(text);
  visit_fields(reader, record);
  if (reader.damaged() != nullptr) {
    return make_error(ErrorKind::internal, cat("the record's field ", reader.damaged(), " is damaged"));
  }
  if (record.id.empty() || record.supervisor.pid <= 0)
    return make_error(ErrorKind::internal, "the record is incomplete");
  return record;
}

}  // namespace agentctl::manager
