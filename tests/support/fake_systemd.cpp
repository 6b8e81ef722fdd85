// SPDX-License-Identifier: Apache-2.0
#include "tests/support/fake_systemd.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <systemd/sd-bus.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "base/text.h"

namespace agentctl::test {
namespace {

constexpr const char* kManagerPath = "/org/freedesktop/systemd1";
constexpr const char* kManager = "org.freedesktop.systemd1.Manager";

std::string read_names(sd_bus_message* message) {
  std::string text;
  const char* name = nullptr;
  sd_bus_message_enter_container(message, 'a', "s");
  while (sd_bus_message_read(message, "s", &name) > 0) text += cat(text.empty() ? "" : ",", name);
  sd_bus_message_exit_container(message);
  return text;
}

std::string read_command(sd_bus_message* message) {
  const char* program = nullptr;
  int ignores_failure = 0;
  sd_bus_message_enter_container(message, 'a', "(sasb)");
  sd_bus_message_enter_container(message, 'r', "sasb");
  sd_bus_message_read(message, "s", &program);
  const std::string argv = read_names(message);
  sd_bus_message_read(message, "b", &ignores_failure);
  sd_bus_message_exit_container(message);
  sd_bus_message_exit_container(message);
  return cat(program, ":", argv, ignores_failure != 0 ? ":ignored" : "");
}

std::string read_variant(sd_bus_message* message) {
  const char* contents = nullptr;
  char type = 0;
  sd_bus_message_peek_type(message, &type, &contents);
  const std::string_view kind = contents != nullptr ? contents : "";
  std::string text;
  if (kind == "t") {
    std::uint64_t number = 0;
    sd_bus_message_read(message, "v", "t", &number);
    return cat(number);
  }
  if (kind == "s") {
    const char* value = nullptr;
    sd_bus_message_read(message, "v", "s", &value);
    return value;
  }
  if (kind == "h") {
    int fd = -1;
    sd_bus_message_read(message, "v", "h", &fd);
    return "fd";
  }
  sd_bus_message_enter_container(message, 'v', contents);
  if (kind == "as" || kind == "a(sasb)") {
    text = kind == "as" ? read_names(message) : read_command(message);
    sd_bus_message_exit_container(message);
    return text;
  }
  sd_bus_message_enter_container(message, 'a', kind == "au" ? "u" : "h");
  std::uint32_t number = 0;
  while (sd_bus_message_read(message, kind == "au" ? "u" : "h", &number) > 0) {
    text += cat(text.empty() ? "" : ",", kind == "au" ? cat(number) : std::string("fd"));
  }
  sd_bus_message_exit_container(message);
  sd_bus_message_exit_container(message);
  return text;
}

std::vector<std::pair<std::string, std::string>> read_properties(sd_bus_message* message) {
  std::vector<std::pair<std::string, std::string>> properties;
  sd_bus_message_enter_container(message, 'a', "(sv)");
  while (sd_bus_message_enter_container(message, 'r', "sv") > 0) {
    const char* name = nullptr;
    sd_bus_message_read(message, "s", &name);
    std::string key = name;
    properties.emplace_back(std::move(key), read_variant(message));
    sd_bus_message_exit_container(message);
  }
  sd_bus_message_exit_container(message);
  return properties;
}

}  // namespace

FakeSystemd::FakeSystemd(FakeBehaviour behaviour) : behaviour_(std::move(behaviour)) {
  int ends[2] = {-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) std::abort();
  client_.reset(ends[0]);
  server_.reset(ends[1]);
  shutdown_.reset(::fcntl(ends[1], F_DUPFD_CLOEXEC, 3));
  if (!behaviour_.silent) thread_ = std::thread([this] { serve(); });
}

FakeSystemd::~FakeSystemd() {
  ::shutdown(shutdown_.get(), SHUT_RDWR);
  if (thread_.joinable()) thread_.join();
}

void FakeSystemd::serve() {
  sd_id128_t id{};
  sd_id128_randomize(&id);
  sd_bus_new(&bus_);
  const int fd = server_.release();
  sd_bus_set_fd(bus_, fd, fd);
  sd_bus_set_server(bus_, 1, id);
  sd_bus_negotiate_fds(bus_, 1);
  sd_bus_add_filter(
      bus_, nullptr, [](sd_bus_message* message, void* self, sd_bus_error*) { return handle(message, self, nullptr); },
      this);
  if (sd_bus_start(bus_) < 0) std::abort();
  while (!hung_up_) {
    const int processed = sd_bus_process(bus_, nullptr);
    if (processed < 0 || (processed == 0 && sd_bus_wait(bus_, UINT64_MAX) < 0)) break;
  }
  sd_bus_close(bus_);
  sd_bus_unref(bus_);
}

int FakeSystemd::handle(sd_bus_message* message, void* self, void*) noexcept {
  std::uint8_t type = 0;
  sd_bus_message_get_type(message, &type);
  if (type != SD_BUS_MESSAGE_METHOD_CALL) return 0;
  static_cast<FakeSystemd*>(self)->answer(message);
  return 1;
}

int FakeSystemd::answer(sd_bus_message* message) {
  const std::string member = sd_bus_message_get_member(message);
  if (member == "Get") return answer_property(message);
  if (member == "StartTransientUnit") return answer_start(message);
  const char* unit = nullptr;
  sd_bus_message_read(message, "s", &unit);
  std::string call = cat(member, " ", unit);
  if (member == "SetUnitProperties") {
    int runtime = 0;
    sd_bus_message_read(message, "b", &runtime);
    call += runtime != 0 ? " runtime" : " persistent";
    for (const auto& [name, value] : read_properties(message)) call += cat(" ", name, "=", value);
  }
  record(std::move(call));
  if (member == "StopUnit") return finish_job(message, unit, "done");
  return sd_bus_reply_method_return(message, "");
}

int FakeSystemd::answer_property(sd_bus_message* message) {
  const char* interface = nullptr;
  const char* property = nullptr;
  sd_bus_message_read(message, "ss", &interface, &property);
  const std::string name = property;
  if (name == "Version") return sd_bus_reply_method_return(message, "v", "s", behaviour_.version.c_str());
  if (name == "ActiveState") return sd_bus_reply_method_return(message, "v", "s", behaviour_.active_state.c_str());
  if (name == "ControlGroup") return sd_bus_reply_method_return(message, "v", "s", "/app.slice/x.scope");
  return sd_bus_reply_method_return(message, "v", "as", 2, "/run/user/0/systemd/transient/x.scope.d/50-MemoryMax.conf",
                                    "/root/.config/systemd/user/app-agentctl-.scope.d/10.conf");
}

int FakeSystemd::answer_start(sd_bus_message* message) {
  const char* unit = nullptr;
  const char* mode = nullptr;
  sd_bus_message_read(message, "ss", &unit, &mode);
  std::string call = cat("StartTransientUnit ", unit, " ", mode);
  std::string unknown;
  for (const auto& [name, value] : read_properties(message)) {
    call += cat(" ", name, "=", value);
    const auto& list = behaviour_.unknown_properties;
    if (unknown.empty() && std::find(list.begin(), list.end(), name) != list.end()) unknown = name;
  }
  record(std::move(call));
  if (behaviour_.silent_at_start) return 0;
  if (behaviour_.hang_up_at_start) {
    hung_up_ = true;
    ::shutdown(shutdown_.get(), SHUT_RDWR);
    return 0;
  }
  if (behaviour_.start_refused_for_good) {
    return sd_bus_reply_method_errorf(message, "org.freedesktop.DBus.Error.InvalidArgs", "Invalid argument.");
  }
  if (behaviour_.unit_exists_times > 0) {
    --behaviour_.unit_exists_times;
    return sd_bus_reply_method_errorf(message, "org.freedesktop.systemd1.UnitExists", "Unit %s already exists.", unit);
  }
  if (!unknown.empty()) {
    constexpr const char* kName = "org.freedesktop.DBus.Error.PropertyReadOnly";
    if (behaviour_.nameless_refusal) return sd_bus_reply_method_errorf(message, kName, "No.");
    return sd_bus_reply_method_errorf(message, kName, "Cannot set property %s, or unknown property.", unknown.c_str());
  }
  return finish_job(message, unit, behaviour_.job_result);
}

int FakeSystemd::finish_job(sd_bus_message* message, const std::string& unit, const std::string& result) {
  const auto signal = [&](const char* job, const std::string& outcome) {
    sd_bus_emit_signal(bus_, kManagerPath, kManager, "JobRemoved", "uoss", 7U, job, unit.c_str(), outcome.c_str());
  };
  if (behaviour_.other_job_fails_first) signal("/org/freedesktop/systemd1/job/8", "failed");
  if (behaviour_.signal_before_reply) signal("/org/freedesktop/systemd1/job/7", result);
  const int replied = sd_bus_reply_method_return(message, "o", "/org/freedesktop/systemd1/job/7");
  if (behaviour_.other_job_fails_first) signal("/org/freedesktop/systemd1/job/9", "failed");
  if (!behaviour_.signal_before_reply && !result.empty()) signal("/org/freedesktop/systemd1/job/7", result);
  return replied;
}

void FakeSystemd::record(std::string call) {
  const std::scoped_lock lock(mutex_);
  calls_.push_back(std::move(call));
}

std::vector<std::string> FakeSystemd::calls() const {
  const std::scoped_lock lock(mutex_);
  return calls_;
}

int FakeSystemd::count(const std::string& member) const {
  int found = 0;
  for (const std::string& call : calls()) found += call.starts_with(cat(member, " ")) ? 1 : 0;
  return found;
}

}  // namespace agentctl::test
