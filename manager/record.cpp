// SPDX-License-Identifier: Apache-2.0
#include "manager/record.h"

#include <algorithm>
#include <charconv>
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
  if (text.find('\\') == std::string_view::npos) return std::string(text);
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
    lines_.reserve(kUsualLines);
    for_each_part(text, '\n', [this](std::string_view line) {
      const std::size_t equals = line.find('=');
      if (equals != std::string_view::npos) lines_.push_back({line.substr(0, equals), line.substr(equals + 1)});
    });
    next_ = lines_.begin();
  }
  void field(const char* key, std::string& value) {
    if (const auto found = first(key)) value = unescape(*found);
  }
  template <typename N>
  requires std::is_integral_v<N>
  void field(const char* key, N& value) {
    if (const auto found = first(key)) parse(key, *found, value);
  }
  void field(const char* key, bool& value) {
    if (const auto found = first(key)) value = *found == "1";
  }
  void field(const char* key, std::optional<std::uint64_t>& value) {
    const auto found = first(key);
    if (found) parse(key, *found, value.emplace());
  }
  void field(const char* key, std::vector<std::string>& list) {
    for (const Line& line : lines_) {
      if (line.key == key) list.push_back(unescape(line.value));
    }
  }
  [[nodiscard]] const char* damaged() const { return damaged_; }

 private:
  struct Line {
    std::string_view key, value;
  };
  static constexpr std::size_t kUsualLines = 128;

  // Lines stand in the order in which they are asked for, but for those that are missing and the lists.
  std::optional<std::string_view> first(std::string_view key) {
    const auto is_it = [key](const Line& line) { return line.key == key; };
    const bool is_next = next_ != lines_.end() && is_it(*next_);
    const std::vector<Line>::const_iterator found =
        is_next ? next_ : std::find_if(lines_.cbegin(), lines_.cend(), is_it);
    if (found == lines_.end()) return std::nullopt;
    next_ = found + 1;
    return found->value;
  }
  template <typename N>
  void parse(const char* key, std::string_view text, N& value) {
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
    if (parsed.ec != std::errc{} || parsed.ptr != text.data() + text.size()) damaged_ = key;
  }

  std::vector<Line> lines_;
  std::vector<Line>::const_iterator next_;
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
  visitor.field("MANAGER_PID", record.manager_process.pid);
  visitor.field("MANAGER_START_TIME", record.manager_process.start_time);
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
  visitor.field("NESTED", record.nested);
  visitor.field("DIRECTORY", record.directory);
  visitor.field("RUNTIME_MAX_USEC", record.runtime_max_usec);
  visitor.field("NETWORK", record.network);
  visitor.field("PUBLISHED", record.published);
  visitor.field("HOSTS_ALLOWED", record.hosts_allowed);
  visitor.field("HOSTS_DENIED", record.hosts_denied);
  visitor.field("HOSTS_CHANGED", record.hosts_changed);
  visitor.field("DOOR_ALLOWED", record.door.allowed);
  visitor.field("DOOR_DENIED", record.door.denied);
  visitor.field("DOOR_DENIAL", record.door.denial);
  visitor.field("DOOR_REMEDY", record.door.remedy);
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

Result<RecordHead> parse_record_head(std::string_view text) {
  RecordHead head;
  Reader reader(text);
  reader.field("ID", head.id);
  reader.field("NAME", head.name);
  reader.field("PROJECT", head.project);
  reader.field("SUPERVISOR_PID", head.supervisor);
  reader.field("BOOT_ID", head.boot_id);
  if (reader.damaged() != nullptr || head.id.empty() || head.supervisor <= 0)
    return make_error(ErrorKind::internal, "the record is incomplete");
  return head;
}

}  // namespace agentctl::manager
