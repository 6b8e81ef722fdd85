// SPDX-License-Identifier: Apache-2.0
#include "units/sd_bus_library.h"

#include <dlfcn.h>

#include <utility>

#include "base/text.h"

namespace agentctl::units {
namespace {

SdBusLibrary library;
void* handle = nullptr;
bool loaded = false;

Error missing(const char* what) {
  const char* cause = ::dlerror();
  return make_error(ErrorKind::environment,
                    cat("cannot speak to systemd: ", what, ": ", cause != nullptr ? cause : "not found"),
                    "install libsystemd (Debian: libsystemd0, Fedora: systemd-libs), version 246 or later");
}

}  // namespace

const SdBusLibrary& sd_bus_library() { return library; }

Result<const SdBusLibrary*> load_sd_bus() {
  if (loaded) return &library;
  handle = ::dlopen(kSdBusSoname, RTLD_LAZY | RTLD_LOCAL);
  if (handle == nullptr) return missing("cannot load its library");
#define AGENTCTL_LOOK_UP(name)                                                \
  library.name = reinterpret_cast<decltype(&::name)>(::dlsym(handle, #name)); \
  if (library.name == nullptr) return missing("its library is too old");
  AGENTCTL_SD_BUS_FUNCTIONS(AGENTCTL_LOOK_UP)
#undef AGENTCTL_LOOK_UP
  loaded = true;
  return &library;
}

void unload_sd_bus() {
  loaded = false;
  if (handle != nullptr) ::dlclose(std::exchange(handle, nullptr));
}

}  // namespace agentctl::units
