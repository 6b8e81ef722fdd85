// SPDX-License-Identifier: Apache-2.0
#include "manager/status_watch.h"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/event_loop.h"
#include "base/file.h"
#include "base/text.h"
#include "manager/exit_status.h"
#include "manager/live_table.h"
#include "manager/registry.h"
#include "manager/session_view.h"
#include "manager/watch_screen.h"

namespace agentctl::manager {
namespace {

constexpr std::uint64_t kIntervalUsec = 1'000'000;

class StatusWatch {
 public:
  // `id`: of the only session to show, or "".
  StatusWatch(std::string id, std::optional<WatchScreen> screen) : id_(std::move(id)), screen_(std::move(screen)) {}

  Result<int> run() {
    AGENTCTL_TRY_VOID(
        loop_.watch_signals({SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH, SIGTSTP, SIGCONT, SIGPIPE},
                            [this](const signalfd_siginfo& info) { on_signal(static_cast<int>(info.ssi_signo)); }));
    if (screen_ && screen_->has_keys()) loop_.watch(STDIN_FILENO, POLLIN, [this](short) { on_key(); });
    tick();
    AGENTCTL_TRY_VOID(loop_.run_until([this] { return is_over_; }));
    if (screen_) screen_->leave();
    if (problem_) return *problem_;
    return status_;
  }

 private:
  void tick() {
    show();
    loop_.after(kIntervalUsec, [this] { tick(); });
  }

  void show() {
    std::vector<SessionView> views;
    for (const KnownSession& session : list_sessions().sessions) {
      if (id_.empty() || session.record.id == id_) views.push_back(view_session(session.record));
    }
    if (!id_.empty() && views.empty()) is_over_ = true;
    if (screen_) {
      const Window window = screen_->window();
      std::vector<std::string> lines = table_.draw(views, window, realtime_usec(), monotonic_usec());
      if (lines.size() < window.rows) lines.push_back(std::string("q: quit").substr(0, window.columns));
      return screen_->show(lines);
    }
    std::vector<std::string> objects;
    for (const SessionView& view : views) objects.push_back(session_json(view));
    if (auto written = write_all(STDOUT_FILENO, cat("[", join(objects, ","), "]\n")); !written) {
      if (written.error().sys_errno != EPIPE) problem_ = written.error();
      is_over_ = true;
    }
  }

  void on_key() {
    char keys[64];
    const ssize_t count = ::read(STDIN_FILENO, keys, sizeof keys);
    if (count <= 0) is_over_ = true;
    if (count > 0 && std::string_view(keys, static_cast<std::size_t>(count)).find('q') != std::string_view::npos)
      is_over_ = true;
  }

  void on_signal(int signal) {
    switch (signal) {
      case SIGWINCH:
        if (screen_) show();
        return;
      case SIGTSTP:
        if (screen_) screen_->leave();
        ::raise(SIGSTOP);
        return;
      case SIGCONT:
        if (!screen_) return;
        screen_->enter();
        return show();
      case SIGTERM:
      case SIGHUP:
      case SIGQUIT:
        status_ = kExitSignalBase + signal;
        is_over_ = true;
        return;
      default:
        is_over_ = true;
    }
  }

  EventLoop loop_;
  std::string id_;
  std::optional<WatchScreen> screen_;
  LiveTable table_;
  bool is_over_ = false;
  int status_ = kExitSuccess;
  std::optional<Error> problem_;
};

}  // namespace

Result<int> watch_status(const StatusOptions& options) {
  std::string id;
  if (!options.name.empty()) id = AGENTCTL_TRY(find_session(list_sessions(), options.name)).record.id;
  std::optional<WatchScreen> screen;
  if (!options.json) screen.emplace(AGENTCTL_TRY(WatchScreen::take()));
  return StatusWatch(std::move(id), std::move(screen)).run();
}

}  // namespace agentctl::manager
