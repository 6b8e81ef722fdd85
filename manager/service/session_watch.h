// SPDX-License-Identifier: Apache-2.0
// SessionWatch: the sessions of this user, however they were started, followed by their records: the runtime
// directories and those of the sessions in them are watched (directory_watch.h), not polled. What it learns it tells
// its listeners, in the order in which they were added. A session whose supervisor was killed has a record that nobody
// removes: then `sweep` is asked for, which may take its time and must call swept() in the end.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/directory_watch.h"
#include "base/event_loop.h"
#include "base/result.h"
#include "manager/registry.h"
#include "manager/service/kernel_watch.h"
#include "manager/service/session_event.h"

namespace agentctl::manager::service {

class SessionWatch {
 public:
  // `loop` outlives this. An Error where the kernel gives no watch, or the runtime directory is not ours.
  [[nodiscard]] static Result<std::unique_ptr<SessionWatch>> start(EventLoop& loop, std::function<void()> sweep);
  SessionWatch(const SessionWatch&) = delete;
  SessionWatch& operator=(const SessionWatch&) = delete;
  ~SessionWatch();

  void listen(SessionListener listener) { listeners_.push_back(std::move(listener)); }
  // Reads everything anew and tells what is different: at the start all of it, and after a drop of events.
  void look_at_all();
  // The same of one session, for who cannot wait for the event.
  void look_at(const std::string& id);
  void swept();

  [[nodiscard]] Listing listing() const;  // by start time
  [[nodiscard]] const Record* find(const std::string& id) const;

 private:
  struct Followed {
    KnownSession session;
    std::string text;  // the record's, to compare
    int watch = -1;
    std::unique_ptr<KernelWatch> kernel;
    bool is_lost = false;  // its supervisor is gone, and its record is not
  };

  SessionWatch(EventLoop& loop, DirectoryWatch directories, std::function<void()> sweep);
  [[nodiscard]] Result<void> watch_runtime_dirs();
  void on_events();
  void look_in(const std::string& runtime_dir, const std::string& id);
  void add(KnownSession session, int watch);
  void change(Followed& followed, KnownSession session);
  void remove(const std::string& id);
  void on_supervisor_ended(const std::string& id);
  void ask_for_sweep();
  void tell(const SessionEvent& event) const;
  void tell_now(SessionEventKind kind, const std::string& id) const;

  EventLoop& loop_;
  DirectoryWatch directories_;
  std::function<void()> sweep_;
  bool is_sweeping_ = false;
  bool sweeps_again_ = false;
  std::vector<SessionListener> listeners_;
  std::map<int, std::string> runtime_dirs_;   // by watch
  std::map<std::string, Followed> sessions_;  // by id
};

}  // namespace agentctl::manager::service
