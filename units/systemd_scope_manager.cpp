// SPDX-License-Identifier: Apache-2.0
#include "units/systemd_scope_manager.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/process.h"
#include "base/text.h"
#include "units/property_message.h"
#include "units/sd_bus_library.h"

namespace agentctl::units {
namespace {

constexpr const char* kManagerPath = "/org/freedesktop/systemd1";
constexpr const char* kManagerInterface = "org.freedesktop.systemd1.Manager";
constexpr const char* kPropertiesInterface = "org.freedesktop.DBus.Properties";
constexpr unsigned kClearingMsec = 1000;  // for each step of clearing up after a failure

constexpr std::string_view kUnitExists = "org.freedesktop.systemd1.UnitExists";
constexpr std::string_view kNoSuchUnit = "org.freedesktop.systemd1.NoSuchUnit";
constexpr std::string_view kPropertyReadOnly = "org.freedesktop.DBus.Error.PropertyReadOnly";
constexpr std::string_view kUnknownProperty = "org.freedesktop.DBus.Error.UnknownProperty";

Result<std::string> encode_unit_path(const std::string& unit) {
  char* raw = nullptr;
  const int encoded = sd_bus_library().sd_bus_path_encode("/org/freedesktop/systemd1/unit", unit.c_str(), &raw);
  if (encoded < 0) return bus_error(encoded, cat("cannot make an object path of '", unit, "'"));
  std::string path(raw);
  ::free(raw);  // NOLINT: libsystemd's, from malloc
  return path;
}

// Written by the manager itself for a transient unit and for SetUnitProperties(runtime).
bool is_transient(std::string_view drop_in) { return drop_in.find("/systemd/transient/") != std::string_view::npos; }

}  // namespace

// What one request to start has come to, over its retries.
struct SystemdScopeManager::Attempt {
  std::vector<ScopeProperty> properties;
  std::optional<ScopeProperty> processes;
  std::vector<std::string> dropped;
  bool sent = false;  // and not refused: the manager may have made the unit
};

Result<std::unique_ptr<SystemdScopeManager>> SystemdScopeManager::connect(UniqueFd socket, bool message_bus,
                                                                          bool same_pid_namespace,
                                                                          const Deadlines& deadlines) {
  Bus bus = AGENTCTL_TRY(Bus::start(std::move(socket), message_bus));
  std::unique_ptr<SystemdScopeManager> manager(new SystemdScopeManager(std::move(bus), same_pid_namespace, deadlines));
  // Before any job is asked for, and on the same connection: no signal can be missed. Without a bus daemon messages
  // bear no sender, and a match for one would never fire. The manager sends JobRemoved of our own jobs without
  // Subscribe().
  sd_bus_slot* slot = nullptr;
  const int matched = sd_bus_library().sd_bus_match_signal_async(
      manager->bus_.get(), &slot, message_bus ? "org.freedesktop.systemd1" : nullptr, kManagerPath, kManagerInterface,
      "JobRemoved", note_job_removed, nullptr, manager.get());
  if (matched < 0) return bus_error(matched, "cannot watch the service manager's jobs");
  manager->job_removed_.reset(slot);

  const MessagePtr question = AGENTCTL_TRY(manager->bus_.new_call({kManagerPath, kPropertiesInterface, "Get"}));
  const int appended = sd_bus_library().sd_bus_message_append(question.get(), "ss", kManagerInterface, "Version");
  if (appended < 0) return bus_error(appended, "cannot ask the service manager's version");
  const std::unique_ptr<PendingCall> call = AGENTCTL_TRY(manager->bus_.send(question));
  const std::string version = AGENTCTL_TRY(
      with_context("cannot ask the service manager's version", manager->read_string(*call, deadlines.call_msec)));
  manager->version_ = parse_manager_version(version);
  if (manager->version_ == 0) {
    return make_error(ErrorKind::bus,
                      cat("cannot understand the service manager's version '", printable(version), "'"));
  }
  return manager;
}

int SystemdScopeManager::note_job_removed(sd_bus_message* signal, void* self, sd_bus_error*) noexcept {
  std::uint32_t id = 0;
  const char* path = nullptr;
  const char* unit = nullptr;
  const char* result = nullptr;
  if (sd_bus_library().sd_bus_message_read(signal, "uoss", &id, &path, &unit, &result) >= 0) {
    static_cast<SystemdScopeManager*>(self)->jobs_->note_removed(path, result);
  }
  return 0;
}

Result<ScopeStarted> SystemdScopeManager::start(const ScopeRequest& request) {
  ScopeStarted started = AGENTCTL_TRY(start_job(request));
  if (started.control_group.empty()) started.control_group = AGENTCTL_TRY(confirm(request.unit));
  return started;
}

Result<std::string> SystemdScopeManager::confirm(const std::string& unit) {
  auto control_group =
      with_context(cat("cannot start the scope '", unit, "'"), read_control_group(unit, deadlines_.call_msec));
  if (!control_group) abandon(unit, control_group.error().sys_errno == 0);
  return control_group;
}

Result<ScopeStarted> SystemdScopeManager::start_job(const ScopeRequest& request) {
  const std::string context = cat("cannot start the scope '", request.unit, "'");
  Attempt attempt;
  attempt.properties = scope_properties(request);
  *jobs_ = JobTracker();
  auto job = with_context(context, request_start(request, attempt));
  if (!job) {
    if (attempt.sent) abandon(request.unit, job.error().sys_errno == 0);
    return std::move(job).error();
  }
  jobs_->expect(*job);
  auto done = wait_for_job(request.unit);
  if (done) return ScopeStarted{{}, version_, std::move(attempt.dropped)};
  // A manager that executes itself anew can lose the signal: then the unit itself has the last word.
  const bool late = done.error().sys_errno == ETIMEDOUT;
  auto control_group = late ? read_control_group(request.unit, kClearingMsec) : Result<std::string>(done.error());
  if (control_group) return ScopeStarted{std::move(*control_group), version_, std::move(attempt.dropped)};
  abandon(request.unit, control_group.error().sys_errno == 0);
  return std::move(done).error();
}

// Yields the path of the job. A refusal that can be met is met: an older unit of the name is reset once, what this
// version does not know is left out where that is allowed.
Result<std::string> SystemdScopeManager::request_start(const ScopeRequest& request, Attempt& attempt) {
  PidList pids(request.pids.begin(), request.pids.end());
  std::vector<UniqueFd> pidfds;
  if (version_ >= kFirstVersionWithPidfds) {
    PidfdList list;
    for (const pid_t pid : request.pids) {
      pidfds.push_back(AGENTCTL_TRY(open_pidfd(pid)));
      list.fds.push_back(pidfds.back().get());
    }
    attempt.processes = {"PIDFDs", std::move(list)};
  } else {
    attempt.processes = {"PIDs", pids};
  }
  bool reset = false;
  while (true) {
    if (!same_pid_namespace_ && attempt.processes->name == "PIDs") {
      return make_error(ErrorKind::environment,
                        cat("the service manager is in another pid namespace, and version ", version_,
                            " takes processes by number only, which would be another process's"),
                        "run agentctl outside of the container, or give the container a user manager of its own");
    }
    std::string error_name;
    auto job = call_start(request.unit, attempt, error_name);
    attempt.sent = job.has_value() || error_name.empty();
    if (job) return job;
    const bool refused = error_name == kPropertyReadOnly || error_name == kUnknownProperty;
    if (error_name == kUnitExists && !reset) {
      reset = true;
      AGENTCTL_TRY_VOID(reset_failed(request.unit));
    } else if (refused && find_refused_property(job.error().message) == "PIDFDs" && pidfds.size() == pids.size()) {
      attempt.processes = {"PIDs", pids};
      pidfds.clear();
      if (pids.empty()) return job;
    } else if (refused) {
      std::string name = drop_refused(attempt.properties, job.error().message);
      if (name.empty()) return job;
      attempt.dropped.push_back(std::move(name));
    } else {
      return job;
    }
  }
}

Result<std::string> SystemdScopeManager::call_start(const std::string& unit, const Attempt& attempt,
                                                    std::string& error_name) {
  const SdBusLibrary& library = sd_bus_library();
  const MessagePtr message = AGENTCTL_TRY(bus_.new_call({kManagerPath, kManagerInterface, "StartTransientUnit"}));
  int result = library.sd_bus_message_append(message.get(), "ss", unit.c_str(), "fail");
  if (result < 0) return bus_error(result, "cannot name the unit");
  AGENTCTL_TRY_VOID(append_properties(message, attempt.properties, attempt.processes ? &*attempt.processes : nullptr));
  result = library.sd_bus_message_append(message.get(), "a(sa(sv))", 0);
  if (result < 0) return bus_error(result, "cannot end the request");
  const MessagePtr reply = AGENTCTL_TRY(bus_.call(message, deadlines_.call_msec, error_name));
  const char* job = nullptr;
  result = library.sd_bus_message_read(reply.get(), "o", &job);
  if (result < 0) return bus_error(result, "cannot read which job it is");
  return std::string(job);
}

Result<void> SystemdScopeManager::start_service(const SessionService& service) {
  const std::string context = cat("cannot start the service '", service.unit, "'");
  const Attempt attempt{service_properties(service), {}, {}, false};
  *jobs_ = JobTracker();
  std::string error_name;
  auto job = with_context(context, call_start(service.unit, attempt, error_name));
  auto done = job ? Result<void>{} : Result<void>(job.error());
  if (job) {
    jobs_->expect(*job);
    done = wait_for_job(service.unit);
  }
  if (!done && error_name.empty()) abandon(service.unit, done.error().sys_errno == 0);
  return done;
}

Result<void> SystemdScopeManager::wait_for_job(const std::string& unit) {
  const std::string context = cat("cannot start '", unit, "'");
  const bool ended = AGENTCTL_TRY(
      with_context(context, bus_.dispatch_until([this] { return jobs_->result().has_value(); }, deadlines_.job_msec)));
  if (ended) return *jobs_->result() == "done" ? Result<void>{} : describe_job_result(*jobs_->result(), unit);
  Error error = make_error(ErrorKind::bus, cat(context, ": its job did not end within ", deadlines_.job_msec, " ms"),
                           "the service manager may be overloaded: try again");
  error.sys_errno = ETIMEDOUT;
  return error;
}

// Both at once: what they cost is the way there and back.
Result<std::string> SystemdScopeManager::read_control_group(const std::string& unit, unsigned msec) {
  const std::string path = AGENTCTL_TRY(encode_unit_path(unit));
  const auto state_call = AGENTCTL_TRY(ask_property(path, "org.freedesktop.systemd1.Unit", "ActiveState"));
  const auto group_call = AGENTCTL_TRY(ask_property(path, "org.freedesktop.systemd1.Scope", "ControlGroup"));
  const std::string state = AGENTCTL_TRY(read_string(*state_call, msec));
  if (state != "active") {
    return make_error(ErrorKind::bus, cat("it is '", printable(state), "' although its job was done"));
  }
  std::string group = AGENTCTL_TRY(read_string(*group_call, msec));
  if (!group.starts_with('/')) return make_error(ErrorKind::bus, "the service manager gave it no cgroup");
  return group;
}

Result<std::unique_ptr<PendingCall>> SystemdScopeManager::ask_property(const std::string& unit_path,
                                                                       const char* interface, const char* property) {
  const MessagePtr message = AGENTCTL_TRY(bus_.new_call({unit_path.c_str(), kPropertiesInterface, "Get"}));
  const int appended = sd_bus_library().sd_bus_message_append(message.get(), "ss", interface, property);
  if (appended < 0) return bus_error(appended, cat("cannot ask for ", property));
  return bus_.send(message);
}

Result<std::string> SystemdScopeManager::read_string(PendingCall& call, unsigned msec) {
  std::string error_name;
  const MessagePtr reply = AGENTCTL_TRY(bus_.wait_for_reply(call, msec, error_name));
  const char* text = nullptr;
  const int result = sd_bus_library().sd_bus_message_read(reply.get(), "v", "s", &text);
  if (result < 0) return bus_error(result, "cannot read a property");
  return std::string(text);
}

Result<void> SystemdScopeManager::set_limits(const std::string& unit, const ScopeLimits& limits) {
  return set_properties(unit, limit_properties(limits));
}

Result<void> SystemdScopeManager::set_slice_limits(const std::string& slice, const SliceLimits& limits) {
  return set_properties(slice, slice_properties(limits));
}

Result<void> SystemdScopeManager::set_properties(const std::string& unit,
                                                 const std::vector<ScopeProperty>& properties) {
  const std::string context = cat("cannot set the limits of '", unit, "'");
  const MessagePtr message = AGENTCTL_TRY(bus_.new_call({kManagerPath, kManagerInterface, "SetUnitProperties"}));
  const int result = sd_bus_library().sd_bus_message_append(message.get(), "sb", unit.c_str(), 1);
  if (result < 0) return bus_error(result, context);
  AGENTCTL_TRY_VOID(append_properties(message, properties));
  std::string error_name;
  AGENTCTL_TRY(with_context(context, bus_.call(message, deadlines_.call_msec, error_name)));
  return {};
}

Result<std::vector<std::string>> SystemdScopeManager::drop_ins(const std::string& unit) {
  const SdBusLibrary& library = sd_bus_library();
  const std::string path = AGENTCTL_TRY(encode_unit_path(unit));
  const auto call = AGENTCTL_TRY(ask_property(path, "org.freedesktop.systemd1.Unit", "DropInPaths"));
  std::string error_name;
  const MessagePtr reply = AGENTCTL_TRY(with_context(cat("cannot read the drop-ins of '", unit, "'"),
                                                     bus_.wait_for_reply(*call, deadlines_.call_msec, error_name)));
  int result = library.sd_bus_message_enter_container(reply.get(), SD_BUS_TYPE_VARIANT, "as");
  if (result >= 0) result = library.sd_bus_message_enter_container(reply.get(), SD_BUS_TYPE_ARRAY, "s");
  std::vector<std::string> files;
  const char* file = nullptr;
  while (result >= 0 && (result = library.sd_bus_message_read(reply.get(), "s", &file)) > 0) {
    if (!is_transient(file)) files.emplace_back(file);
  }
  if (result < 0) return bus_error(result, cat("cannot read the drop-ins of '", unit, "'"));
  return files;
}

Result<MessagePtr> SystemdScopeManager::unit_call(const char* member, const std::string& unit) {
  MessagePtr message = AGENTCTL_TRY(bus_.new_call({kManagerPath, kManagerInterface, member}));
  const bool with_mode = std::string_view(member) == "StopUnit";
  const int result = with_mode ? sd_bus_library().sd_bus_message_append(message.get(), "ss", unit.c_str(), "replace")
                               : sd_bus_library().sd_bus_message_append(message.get(), "s", unit.c_str());
  if (result < 0) return bus_error(result, cat("cannot call ", member));
  return message;
}

Result<void> SystemdScopeManager::reset_failed(const std::string& unit) {
  const MessagePtr message = AGENTCTL_TRY(unit_call("ResetFailedUnit", unit));
  std::string error_name;
  auto reply = bus_.call(message, deadlines_.call_msec, error_name);
  if (reply || error_name == kNoSuchUnit) return {};
  reply.error().prepend("cannot reset the older unit of this name");
  return std::move(reply).error();
}

Result<void> SystemdScopeManager::stop(const std::string& unit) {
  const std::string context = cat("cannot stop '", unit, "'");
  *jobs_ = JobTracker();
  const MessagePtr message = AGENTCTL_TRY(unit_call("StopUnit", unit));
  std::string error_name;
  auto reply = bus_.call(message, deadlines_.call_msec, error_name);
  if (!reply && error_name != kNoSuchUnit) {
    reply.error().prepend(context);
    return std::move(reply).error();
  }
  if (reply) {
    const char* job = nullptr;
    const int result = sd_bus_library().sd_bus_message_read(reply->get(), "o", &job);
    if (result < 0) return bus_error(result, context);
    jobs_->expect(job);
    const bool ended = AGENTCTL_TRY(with_context(
        context, bus_.dispatch_until([this] { return jobs_->result().has_value(); }, deadlines_.job_msec)));
    if (!ended)
      return make_error(ErrorKind::bus, cat(context, ": its job did not end within ", deadlines_.job_msec, " ms"));
    if (*jobs_->result() != "done") {
      return make_error(ErrorKind::bus, cat(context, ": the job ended as '", printable(*jobs_->result()), "'"));
    }
  }
  return reset_failed(unit);
}

void SystemdScopeManager::abandon(const std::string& unit, bool manager_answers) {
  for (const char* member : {"StopUnit", "ResetFailedUnit"}) {
    const auto message = unit_call(member, unit);
    if (!message) return;
    std::string error_name;
    if (manager_answers) {
      const auto reply = bus_.call(*message, kClearingMsec, error_name);
      manager_answers = reply.has_value() || !error_name.empty();
    } else {
      bus_.send_and_forget(*message);
    }
  }
}

}  // namespace agentctl::units
