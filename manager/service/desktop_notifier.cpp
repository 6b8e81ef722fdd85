// SPDX-License-Identifier: Apache-2.0
#include "manager/service/desktop_notifier.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/clock.h"
#include "base/log.h"
#include "base/text.h"
#include "manager/service/notification_markup.h"
#include "units/sd_bus_library.h"
#include "units/sd_bus_server_library.h"

namespace agentctl::manager::service {
namespace {

constexpr const char* kServer = "org.freedesktop.Notifications";
constexpr const char* kPath = "/org/freedesktop/Notifications";
constexpr const char* kProgram = "agentctl";  // application, icon and desktop entry
constexpr const char* kStop = "stop";
constexpr std::uint64_t kLastWordUsec = 500'000;   // at the end of the service
constexpr std::uint64_t kAnswerUsec = 25'000'000;  // the server may have to be started first
constexpr std::uint8_t kNormal = 1;
constexpr std::uint8_t kCritical = 2;
constexpr std::int32_t kServersChoice = -1;  // of how long it is shown

const units::SdBusLibrary& library() { return units::sd_bus_library(); }

}  // namespace

DesktopNotifier::~DesktopNotifier() {
  await_numbers();
  for (const auto& [key, shown] : shown_) {
    if (shown.offers_stop) send_close(shown.number);
  }
}

// What is on its way to the screen has no number yet by which it could be taken away.
void DesktopNotifier::await_numbers() {
  const auto offers_stop = [](const Call& call) { return call.offers_stop; };
  const std::uint64_t until = monotonic_usec() + kLastWordUsec;
  while (std::any_of(calls_.begin(), calls_.end(), offers_stop)) {
    const int processed = library().sd_bus_process(bus_, nullptr);
    const std::uint64_t now = monotonic_usec();
    if (processed < 0 || now >= until) return;
    if (processed == 0 && library().sd_bus_wait(bus_, until - now) < 0) return;
  }
}

Result<void> DesktopNotifier::connect(sd_bus* bus) {
  bus_ = bus;
  AGENTCTL_TRY_VOID(listen("ActionInvoked", on_action));
  AGENTCTL_TRY_VOID(listen("NotificationClosed", on_closed));
  // The numbers of one server mean nothing to the next.
  sd_bus_slot* slot = nullptr;
  const int added = units::sd_bus_server_library().sd_bus_add_match_async(
      bus_, &slot,
      "type='signal',sender='org.freedesktop.DBus',interface='org.freedesktop.DBus',member='NameOwnerChanged',"
      "arg0='org.freedesktop.Notifications'",
      on_owner, nullptr, this);
  if (added < 0) return units::bus_error(added, "cannot watch for a notification server");
  matches_.emplace_back(slot);
  return {};
}

Result<void> DesktopNotifier::listen(const char* member, sd_bus_message_handler_t handler) {
  sd_bus_slot* slot = nullptr;
  const int added =
      library().sd_bus_match_signal_async(bus_, &slot, kServer, kPath, kServer, member, handler, nullptr, this);
  if (added < 0) return units::bus_error(added, cat("cannot listen for ", member));
  matches_.emplace_back(slot);
  return {};
}

void DesktopNotifier::show(const Notification& notification) {
  if (bus_ == nullptr) return;
  const auto pending = std::find_if(calls_.begin(), calls_.end(), [&](const Call& call) {
    return !notification.key.empty() && call.key == notification.key;
  });
  if (pending != calls_.end()) {
    pending->next = notification;
    return;
  }
  for (const std::string& key : notification.other_keys) close(key);
  const auto message = make_call(notification);
  if (!message) return log::debug(message.error().message);
  Call& call = calls_.emplace_back();
  call.notifier = this;
  call.key = notification.key;
  call.offers_stop = notification.offers_stop;
  sd_bus_slot* slot = nullptr;
  const int sent = library().sd_bus_call_async(bus_, &slot, message->get(), on_reply, &call, kAnswerUsec);
  if (sent < 0) {
    tell_once(units::bus_error(sent, "cannot send it").message);
    calls_.pop_back();
    return;
  }
  call.slot.reset(slot);
}

Result<units::MessagePtr> DesktopNotifier::make_call(const Notification& notification) const {
  sd_bus_message* raw = nullptr;
  int made = library().sd_bus_message_new_method_call(bus_, &raw, kServer, kPath, kServer, "Notify");
  if (made < 0) return units::bus_error(made, "cannot make a notification");
  units::MessagePtr message(raw);
  const auto shown = shown_.find(notification.key);
  const std::uint32_t replaces = notification.key.empty() || shown == shown_.end() ? 0 : shown->second.number;
  const std::string title = notification_title(notification.title);
  const std::string body = notification_body(notification.lines);
  made = library().sd_bus_message_append(raw, "susss", kProgram, replaces, kProgram, title.c_str(), body.c_str());
  if (made >= 0) {
    made = notification.offers_stop ? library().sd_bus_message_append(raw, "as", 2, kStop, "Stop session")
                                    : library().sd_bus_message_append(raw, "as", 0);
  }
  const std::uint8_t urgency = notification.critical ? kCritical : kNormal;
  if (made >= 0) {
    made = library().sd_bus_message_append(raw, "a{sv}", 2, "urgency", "y", urgency, "desktop-entry", "s", kProgram);
  }
  if (made >= 0) made = library().sd_bus_message_append(raw, "i", kServersChoice);
  if (made < 0) return units::bus_error(made, "cannot make a notification");
  return message;
}

int DesktopNotifier::on_reply(sd_bus_message* reply, void* call, sd_bus_error*) noexcept {
  auto* answered = static_cast<Call*>(call);
  answered->notifier->finish(*answered, reply);
  return 1;
}

void DesktopNotifier::finish(Call& call, sd_bus_message* reply) {
  std::list<Call> taken;
  const auto at = std::find_if(calls_.begin(), calls_.end(), [&](const Call& other) { return &other == &call; });
  taken.splice(taken.begin(), calls_, at);
  const Call& ended = taken.front();
  std::uint32_t number = 0;
  if (const sd_bus_error* error = library().sd_bus_message_get_error(reply)) {
    tell_once(units::describe_bus_error(error).message);
  } else if (library().sd_bus_message_read(reply, "u", &number) < 0 || number == 0) {
    tell_once("its answer is not understood");
  } else {
    told_ = false;
    if (!ended.key.empty()) shown_[ended.key] = {number, ended.offers_stop};
    if (ended.closed) close(ended.key);
  }
  if (ended.next) show(*ended.next);
}

void DesktopNotifier::close(const std::string& key) {
  for (Call& call : calls_) {
    if (call.key != key) continue;
    call.closed = true;
    call.next.reset();
  }
  const auto shown = shown_.find(key);
  if (shown == shown_.end()) return;
  const std::uint32_t number = shown->second.number;
  shown_.erase(shown);
  send_close(number);
}

void DesktopNotifier::send_close(std::uint32_t number) {
  sd_bus_message* raw = nullptr;
  if (library().sd_bus_message_new_method_call(bus_, &raw, kServer, kPath, kServer, "CloseNotification") < 0) return;
  const units::MessagePtr message(raw);
  if (library().sd_bus_message_append(raw, "u", number) < 0) return;
  library().sd_bus_message_set_expect_reply(raw, 0);
  (void)library().sd_bus_send(bus_, raw, nullptr);
}

int DesktopNotifier::on_action(sd_bus_message* signal, void* self, sd_bus_error*) noexcept {
  auto* notifier = static_cast<DesktopNotifier*>(self);
  std::uint32_t number = 0;
  const char* action = nullptr;
  if (library().sd_bus_message_read(signal, "us", &number, &action) < 0 || std::string_view(action) != kStop) return 0;
  // Every program's notifications are told of here: only ours count.
  for (const auto& [key, shown] : notifier->shown_) {
    if (shown.number != number || !shown.offers_stop) continue;
    const std::string session_id = key;
    notifier->stop_(session_id);
    return 0;
  }
  return 0;
}

int DesktopNotifier::on_closed(sd_bus_message* signal, void* self, sd_bus_error*) noexcept {
  std::uint32_t number = 0;
  std::uint32_t reason = 0;
  if (library().sd_bus_message_read(signal, "uu", &number, &reason) < 0) return 0;
  static_cast<DesktopNotifier*>(self)->forget(number);
  return 0;
}

void DesktopNotifier::forget(std::uint32_t number) {
  std::erase_if(shown_, [number](const auto& shown) { return shown.second.number == number; });
}

int DesktopNotifier::on_owner(sd_bus_message*, void* self, sd_bus_error*) noexcept {
  static_cast<DesktopNotifier*>(self)->shown_.clear();
  return 0;
}

void DesktopNotifier::tell_once(std::string_view what) {
  if (std::exchange(told_, true)) return;
  log::debug(cat("no notification is shown: ", what));
}

}  // namespace agentctl::manager::service
