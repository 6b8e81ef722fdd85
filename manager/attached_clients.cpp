// SPDX-License-Identifier: Apache-2.0
#include "manager/attached_clients.h"

#include <algorithm>

#include "base/text.h"
#include "manager/control_socket.h"

namespace agentctl::manager {
namespace {

constexpr std::size_t kMostClients = 16;
constexpr std::uint64_t kMessageUsec = 3'000'000;  // how long a message covers the lowest row
constexpr std::uint64_t kAgainUsec = 300'000;      // when an agent has drawn itself anew, in another size

// Of a terminal whose screen is not known; its cursor comes back to where it was.
std::string on_last_line(const std::string& text) {
  return cat("\x1b", "7\x1b[999;1H\x1b[K", text.empty() ? "" : "\x1b[7m", text, "\x1b[m\x1b", "8");
}

}  // namespace

AttachedClients::AttachedClients(EventLoop& loop, Session session) : loop_(loop), session_(std::move(session)) {
  update_answers();
  session_.terminal.on_input_room([this] {
    if (writer_ != nullptr) writer_->hold(false);
  });
}

void AttachedClients::add(UniqueFd connection, const AttachRequest& request) {
  if (clients_.size() == kMostClients) {
    return answer_control(connection.get(),
                          format_message(MessageKind::refusal, cat(kMostClients, " terminals are attached already")));
  }
  AttachedClient::Callbacks callbacks;
  callbacks.on_message = [this](AttachedClient& client, const Message& message) { on_message(client, message); };
  callbacks.on_gone = [this](AttachedClient& client) { remove(client); };
  callbacks.on_caught_up = [this](AttachedClient& client) { client.show(session_.screen.repaint()); };
  clients_.push_back(
      std::make_unique<AttachedClient>(loop_, std::move(connection), request, ++last_number_, std::move(callbacks)));
  AttachedClient& client = *clients_.back();
  const bool is_free = writer_ == nullptr && session_.caller == nullptr;
  if (!request.read_only && (is_free || request.take_over))
    make_writer(client);
  else
    client.send(MessageKind::role, "watcher");
  client.show(session_.screen.repaint());
  tell(client, describe_role(client));
}

void AttachedClients::set_paused(bool is_paused) {
  if (std::exchange(is_paused_, is_paused) == is_paused) return;
  for (const auto& client : clients_) tell(*client, is_paused ? describe_role(*client) : "resumed");
  if (session_.caller == nullptr || writer_ != nullptr) return;
  session_.caller->show(
      on_last_line(is_paused ? cat("paused: 'agentctl resume ", session_.name, "' lets it go on") : ""));
}

std::string AttachedClients::describe_role(const AttachedClient& client) const {
  if (is_paused_) return cat("paused: 'agentctl resume ", session_.name, "' lets it go on; leave with C-] d");
  if (&client == writer_) return cat("attached to ", session_.name, "; detach with C-] d");
  const winsize size = session_.terminal.size();
  std::string text = cat("watching ", session_.name, "; leave with C-] d");
  if (!client.is_read_only()) text += "; to type here: attach --take-over";
  if (client.size().ws_row < size.ws_row || client.size().ws_col < size.ws_col) {
    text += cat("; this window is smaller than the ", size.ws_col, "x", size.ws_row, " of the session");
  }
  return text;
}

void AttachedClients::make_writer(AttachedClient& client) {
  AttachedClient* former = std::exchange(writer_, &client);
  client.send(MessageKind::role, "writer");
  take_size(client.size());
  update_answers();
  if (former != nullptr && former != &client) {
    former->hold(false);
    former->send(MessageKind::role, "watcher");
    tell(*former, "taken over by another terminal: keys go nowhere here; leave with C-] d");
  } else if (former == nullptr && session_.caller != nullptr) {
    session_.caller->let_type(false);
    tell_caller_taken_over();
  }
}

void AttachedClients::choose_writer() {
  if (session_.caller != nullptr) return give_back_to_caller();
  const auto next =
      std::find_if(clients_.begin(), clients_.end(), [](const auto& client) { return !client->is_read_only(); });
  if (next == clients_.end()) return update_answers();
  make_writer(**next);
  tell(**next, describe_role(**next));
}

void AttachedClients::remove(AttachedClient& client) {
  const bool was_writer = writer_ == &client;
  std::erase_if(clients_, [&](const auto& other) { return other.get() == &client; });
  if (!was_writer) return;
  writer_ = nullptr;
  choose_writer();
}

void AttachedClients::on_message(AttachedClient& client, const Message& message) {
  if (message.kind == MessageKind::input && &client == writer_) {
    session_.terminal.type(message.body);
    if (!session_.terminal.has_input_room()) client.hold(true);
    session_.on_input();
  } else if (message.kind == MessageKind::redraw) {
    client.show(session_.screen.repaint());
  } else if (message.kind == MessageKind::window) {
    const auto size = parse_window(message.body);
    if (!size) return;
    client.set_size(*size);
    if (&client == writer_) take_size(*size);
  }
}

void AttachedClients::take_size(const winsize& size) {
  // A difference in pixels alone would have the agent draw itself anew for nothing.
  const winsize present = session_.terminal.size();
  if (present.ws_row == size.ws_row && present.ws_col == size.ws_col) return;
  session_.screen.resize(size);
  session_.terminal.set_size(size);
}

void AttachedClients::update_answers() {
  if (writer_ != nullptr || session_.caller != nullptr) return session_.screen.answer_with(nullptr);
  session_.screen.answer_with([this](std::string_view answer) { session_.terminal.type(answer); });
}

void AttachedClients::tell(AttachedClient& client, const std::string& text) {
  client.show(session_.screen.paint_message(text, client.size()));
  const auto show_later = [this, number = client.number()](std::uint64_t usec, auto make) {
    loop_.after(usec, [this, number, make] {
      for (const auto& present : clients_) {
        if (present->number() == number) present->show(make(*present));
      }
    });
  };
  show_later(kAgainUsec, [this, text](const AttachedClient& present) {
    return session_.screen.paint_message(text, present.size());
  });
  show_later(kMessageUsec, [this](const AttachedClient& present) {
    return is_paused_ ? session_.screen.paint_message(describe_role(present), present.size())
                      : session_.screen.repaint();
  });
}

// Its screen may show what was there before the session, and its cursor be elsewhere.
void AttachedClients::tell_caller_taken_over() {
  session_.caller->show(on_last_line("taken over by another terminal: keys go nowhere until it leaves"));
}

void AttachedClients::give_back_to_caller() {
  session_.caller->let_type(true);
  take_size(session_.caller->size());
  update_answers();
  session_.caller->show(session_.screen.repaint());
  session_.caller->show(
      session_.screen.paint_message("what is typed here goes to the session again", session_.caller->size()));
  loop_.after(kMessageUsec, [this] {
    if (writer_ == nullptr) session_.caller->show(session_.screen.repaint());
  });
}

void AttachedClients::show(std::string_view output) {
  for (const auto& client : clients_) client->show(output);
}

void AttachedClients::end(std::string_view text, std::uint64_t until_usec) {
  for (const auto& client : clients_) client->send(MessageKind::end, text);
  for (const auto& client : clients_) client->drain(until_usec);
  clients_.clear();
  writer_ = nullptr;
}

}  // namespace agentctl::manager
