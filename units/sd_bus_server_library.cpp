// SPDX-License-Identifier: Apache-2.0
#include "units/sd_bus_server_library.h"

#include <dlfcn.h>

#include "units/sd_bus_library.h"

namespace agentctl::units {
namespace {

SdBusServerLibrary library;

Error too_old(const char* symbol) {
  return make_error(ErrorKind::environment,
                    std::string("cannot serve on the bus: libsystemd is too old: it has no ") + symbol,
                    "install libsystemd (Debian: libsystemd0, Fedora: systemd-libs), version 246 or later");
}

}  // namespace

Result<void> load_sd_bus_server() {
  AGENTCTL_TRY(load_sd_bus());
  void* const handle = ::dlopen(kSdBusSoname, RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
  if (handle == nullptr) return too_old(kSdBusSoname);
#define AGENTCTL_LOOK_UP(name)                                                \
  library.name = reinterpret_cast<decltype(&::name)>(::dlsym(handle, #name)); \
  if (library.name == nullptr) return too_old(#name);
  AGENTCTL_SD_BUS_SERVER_SYMBOLS(AGENTCTL_LOOK_UP)
#undef AGENTCTL_LOOK_UP
  return {};
}

const SdBusServerLibrary& sd_bus_server_library() { return library; }

}  // namespace agentctl::units
