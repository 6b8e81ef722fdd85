// SPDX-License-Identifier: Apache-2.0
#include "units/property_message.h"

#include "base/text.h"
#include "units/sd_bus_library.h"

namespace agentctl::units {
namespace {

// Writes one variant; sd-bus's results are negative errnos and every step must succeed.
struct VariantWriter {
  sd_bus_message* message;
  const SdBusLibrary& library = sd_bus_library();

  int operator()(std::uint64_t number) const { return library.sd_bus_message_append(message, "v", "t", number); }
  int operator()(const std::string& text) const {
    return library.sd_bus_message_append(message, "v", "s", text.c_str());
  }
  int operator()(const PidList& pids) const {
    return write_array("au", "u", [&] {
      for (const std::uint32_t pid : pids) {
        if (const int result = library.sd_bus_message_append(message, "u", pid); result < 0) return result;
      }
      return 0;
    });
  }
  int operator()(const NameList& names) const {
    return write_array("as", "s", [&] {
      for (const std::string& name : names) {
        if (const int result = library.sd_bus_message_append(message, "s", name.c_str()); result < 0) return result;
      }
      return 0;
    });
  }
  int operator()(const PassedFd& passed) const { return library.sd_bus_message_append(message, "v", "h", passed.fd); }
  int operator()(const ServiceCommand& command) const {
    return write_array("a(sasb)", "(sasb)", [&] { return write_command(command); });
  }
  int operator()(const PidfdList& pidfds) const {
    return write_array("ah", "h", [&] {
      for (const int fd : pidfds.fds) {
        if (const int result = library.sd_bus_message_append(message, "h", fd); result < 0) return result;
      }
      return 0;
    });
  }

  int write_command(const ServiceCommand& command) const {
    constexpr int kIgnoresFailure = 0;
    int result = library.sd_bus_message_open_container(message, SD_BUS_TYPE_STRUCT, "sasb");
    if (result >= 0) result = library.sd_bus_message_append(message, "s", command.argv.at(0).c_str());
    if (result >= 0) result = library.sd_bus_message_open_container(message, SD_BUS_TYPE_ARRAY, "s");
    for (const std::string& word : command.argv) {
      if (result >= 0) result = library.sd_bus_message_append(message, "s", word.c_str());
    }
    if (result >= 0) result = library.sd_bus_message_close_container(message);
    if (result >= 0) result = library.sd_bus_message_append(message, "b", kIgnoresFailure);
    if (result >= 0) result = library.sd_bus_message_close_container(message);
    return result;
  }

  template <typename WriteElements>
  int write_array(const char* type, const char* element, WriteElements write_elements) const {
    int result = library.sd_bus_message_open_container(message, SD_BUS_TYPE_VARIANT, type);
    if (result >= 0) result = library.sd_bus_message_open_container(message, SD_BUS_TYPE_ARRAY, element);
    if (result >= 0) result = write_elements();
    if (result >= 0) result = library.sd_bus_message_close_container(message);
    if (result >= 0) result = library.sd_bus_message_close_container(message);
    return result;
  }
};

int append_property(sd_bus_message* message, const ScopeProperty& property) {
  const SdBusLibrary& library = sd_bus_library();
  int result = library.sd_bus_message_open_container(message, SD_BUS_TYPE_STRUCT, "sv");
  if (result >= 0) result = library.sd_bus_message_append(message, "s", property.name.c_str());
  if (result >= 0) result = std::visit(VariantWriter{message}, property.value);
  if (result >= 0) result = library.sd_bus_message_close_container(message);
  return result;
}

}  // namespace

Result<void> append_properties(const MessagePtr& message, const std::vector<ScopeProperty>& properties,
                               const ScopeProperty* processes) {
  const SdBusLibrary& library = sd_bus_library();
  int result = library.sd_bus_message_open_container(message.get(), SD_BUS_TYPE_ARRAY, "(sv)");
  for (const ScopeProperty& property : properties) {
    if (result >= 0) result = append_property(message.get(), property);
    if (result < 0) return bus_error(result, cat("cannot write the property ", property.name));
  }
  if (result >= 0 && processes != nullptr) result = append_property(message.get(), *processes);
  if (result >= 0) result = library.sd_bus_message_close_container(message.get());
  if (result < 0) return bus_error(result, "cannot write the properties of a unit");
  return {};
}

}  // namespace agentctl::units
