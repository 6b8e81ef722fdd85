// SPDX-License-Identifier: Apache-2.0
#include "manager/service/bus_message.h"

#include "base/overloaded.h"
#include "base/text.h"
#include "units/sd_bus_library.h"
#include "units/sd_bus_server_library.h"

namespace agentctl::manager::service {
namespace {

const units::SdBusLibrary& base() { return units::sd_bus_library(); }
const units::SdBusServerLibrary& server() { return units::sd_bus_server_library(); }

int read_texts(sd_bus_message* message, std::vector<std::string>& texts) {
  int result = base().sd_bus_message_enter_container(message, 'a', "s");
  const char* text = nullptr;
  while (result > 0 && (result = base().sd_bus_message_read(message, "s", &text)) > 0) texts.emplace_back(text);
  return result < 0 ? result : server().sd_bus_message_exit_container(message);
}

// The variant at which the message stands.
int read_variant(sd_bus_message* message, OptionValue& value) {
  char type = 0;
  const char* found = nullptr;
  if (const int peeked = server().sd_bus_message_peek_type(message, &type, &found); peeked < 0) return peeked;
  const std::string contents = found == nullptr ? "" : found;
  if (contents != "s" && contents != "as" && contents != "b") {
    value = OtherType{contents};
    return server().sd_bus_message_skip(message, "v");
  }
  int result = base().sd_bus_message_enter_container(message, 'v', contents.c_str());
  if (result < 0) return result;
  if (contents == "as") {
    result = read_texts(message, value.emplace<std::vector<std::string>>());
  } else if (contents == "b") {
    int flag = 0;
    result = base().sd_bus_message_read(message, "b", &flag);
    value = flag != 0;
  } else {
    const char* text = nullptr;
    result = base().sd_bus_message_read(message, "s", &text);
    if (result >= 0) value = std::string(text);
  }
  return result < 0 ? result : server().sd_bus_message_exit_container(message);
}

int append_texts(sd_bus_message* message, const std::vector<std::string>& texts) {
  int result = base().sd_bus_message_open_container(message, 'a', "s");
  for (const std::string& text : texts) {
    if (result >= 0) result = base().sd_bus_message_append(message, "s", text.c_str());
  }
  return result < 0 ? result : base().sd_bus_message_close_container(message);
}

int append_dictionary(sd_bus_message* message, const Dictionary& dictionary) {
  int result = base().sd_bus_message_open_container(message, 'a', "{sv}");
  for (const auto& entry : dictionary) {
    if (result < 0) return result;
    const char* const key = entry.first.c_str();
    const auto* number = std::get_if<std::uint64_t>(&entry.second);
    result = number != nullptr
                 ? base().sd_bus_message_append(message, "{sv}", key, "t", *number)
                 : base().sd_bus_message_append(message, "{sv}", key, "s", std::get<std::string>(entry.second).c_str());
  }
  return result < 0 ? result : base().sd_bus_message_close_container(message);
}

}  // namespace

Result<Options> read_options(sd_bus_message* message) {
  Options options;
  int result = base().sd_bus_message_enter_container(message, 'a', "{sv}");
  while (result >= 0 && (result = base().sd_bus_message_enter_container(message, 'e', "sv")) > 0) {
    const char* key = nullptr;
    OptionValue value;
    result = base().sd_bus_message_read(message, "s", &key);
    if (result >= 0) result = read_variant(message, value);
    if (result >= 0) result = server().sd_bus_message_exit_container(message);
    if (result < 0) break;
    options.emplace_back(key, std::move(value));
  }
  if (result >= 0) result = server().sd_bus_message_exit_container(message);
  if (result < 0) return units::bus_error(result, "cannot read the call's options");
  return options;
}

Result<OptionValue> read_value(sd_bus_message* message) {
  OptionValue value;
  if (const int result = read_variant(message, value); result < 0) {
    return units::bus_error(result, "cannot read a value");
  }
  return value;
}

int append_value(sd_bus_message* message, const PropertyValue& value) {
  return std::visit(
      Overloaded{[&](const std::string& text) { return base().sd_bus_message_append(message, "s", text.c_str()); },
                 [&](const std::vector<std::string>& texts) { return append_texts(message, texts); },
                 [&](std::uint32_t number) { return base().sd_bus_message_append(message, "u", number); },
                 [&](std::uint64_t number) { return base().sd_bus_message_append(message, "t", number); },
                 [&](const Dictionary& dictionary) { return append_dictionary(message, dictionary); }},
      value);
}

PendingAnswer::PendingAnswer(sd_bus_message* call)
    : call_(base().sd_bus_message_ref(call), [](sd_bus_message* held) { base().sd_bus_message_unref(held); }) {}

void PendingAnswer::succeed() const { succeed({}, ""); }

void PendingAnswer::succeed(const std::vector<std::string>& values, const char* signature) const {
  sd_bus_message* raw = nullptr;
  if (server().sd_bus_message_new_method_return(call_.get(), &raw) < 0) return;
  const units::MessagePtr answer(raw);
  int result = 0;
  for (std::size_t at = 0; at < values.size() && result >= 0; ++at) {
    const char type[] = {signature[at], '\0'};
    result = base().sd_bus_message_append(raw, type, values[at].c_str());
  }
  if (result < 0) return fail({kFailed, "cannot write the answer"});
  base().sd_bus_send(nullptr, raw, nullptr);
}

void PendingAnswer::fail(const BusError& error) const {
  server().sd_bus_reply_method_errorf(call_.get(), error.name.c_str(), "%s", error.text.c_str());
}

void PendingAnswer::fail(const char* name, const Error& error) const {
  fail({name, bus_text(error.hint.empty() ? error.message : cat(error.message, " (", error.hint, ")"))});
}

}  // namespace agentctl::manager::service
