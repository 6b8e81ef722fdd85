// SPDX-License-Identifier: Apache-2.0
// DesktopNotifier: shows notifications through whoever owns org.freedesktop.Notifications on the user's bus (Desktop
// Notifications Specification 1.2), and hears of the button "Stop". Nothing waits: calls are asynchronous, and where no
// server is, or it does not answer, nobody hears of anything but a developer, once. Only who shares this bus, which no
// session does, can press the button.
#pragma once

#include <systemd/sd-bus.h>

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <optional>
#include <string>

#include "base/result.h"
#include "manager/service/notification.h"
#include "units/bus.h"

namespace agentctl::manager::service {

class DesktopNotifier {
 public:
  using OnStop = std::function<void(const std::string& session_id)>;

  explicit DesktopNotifier(OnStop stop) : stop_(std::move(stop)) {}
  DesktopNotifier(const DesktopNotifier&) = delete;
  DesktopNotifier& operator=(const DesktopNotifier&) = delete;
  ~DesktopNotifier();  // takes away what has a button, which nobody would hear any longer

  // The connection outlives this object, and is processed by its owner.
  [[nodiscard]] Result<void> connect(sd_bus* bus);
  // In the place of the one of the same key, where that is still shown.
  void show(const Notification& notification);
  // Takes the one of that key away, if there is one.
  void close(const std::string& key);

 private:
  struct Shown {
    std::uint32_t number = 0;  // the server's
    bool offers_stop = false;
  };
  // A call of Notify under way.
  struct Call {
    DesktopNotifier* notifier = nullptr;
    std::string key;
    bool offers_stop = false;
    units::SlotPtr slot;
    std::optional<Notification> next;  // came meanwhile: it can take this one's place only once that has a number
    bool closed = false;               // meanwhile
  };

  static int on_reply(sd_bus_message* reply, void* call, sd_bus_error* error) noexcept;
  static int on_action(sd_bus_message* signal, void* self, sd_bus_error* error) noexcept;
  static int on_closed(sd_bus_message* signal, void* self, sd_bus_error* error) noexcept;
  static int on_owner(sd_bus_message* signal, void* self, sd_bus_error* error) noexcept;

  [[nodiscard]] Result<void> listen(const char* member, sd_bus_message_handler_t handler);
  [[nodiscard]] Result<units::MessagePtr> make_call(const Notification& notification) const;
  void finish(Call& call, sd_bus_message* reply);
  void tell_once(std::string_view what);
  void send_close(std::uint32_t number);
  void forget(std::uint32_t number);
  void await_numbers();

  OnStop stop_;
  sd_bus* bus_ = nullptr;
  std::list<units::SlotPtr> matches_;
  std::list<Call> calls_;
  std::map<std::string, Shown> shown_;  // by key
  bool told_ = false;
};

}  // namespace agentctl::manager::service
