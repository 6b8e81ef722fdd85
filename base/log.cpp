// SPDX-License-Identifier: Apache-2.0
#include "base/log.h"

#include <cstdlib>
#include <memory>

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

namespace agentctl::log {
namespace {

std::shared_ptr<spdlog::logger> logger;
spdlog::level::level_enum level = spdlog::level::off;

void write(spdlog::level::level_enum at, std::string_view message) {
  if (at < level) return;
  try {
    // Made at the first message, so that a start that says nothing does not pay for it.
    if (!logger) {
      logger = std::make_shared<spdlog::logger>("agentctl", std::make_shared<spdlog::sinks::stderr_sink_st>());
      logger->set_level(level);
      logger->set_pattern("%n: %l: %v");
    }
    logger->log(at, "{}", message);
  } catch (...) {
    level = spdlog::level::off;  // a log that cannot be written must not end a session
  }
}

}  // namespace

void set_up() {
  const char* wanted = ::getenv("AGENTCTL_LOG");
  const std::string_view text = wanted == nullptr ? "warn" : wanted;
  if (text == "debug")
    level = spdlog::level::debug;
  else if (text == "info")
    level = spdlog::level::info;
  else if (text == "error")
    level = spdlog::level::err;
  else
    level = spdlog::level::warn;
}

void debug(std::string_view message) { write(spdlog::level::debug, message); }
void info(std::string_view message) { write(spdlog::level::info, message); }
void warn(std::string_view message) { write(spdlog::level::warn, message); }

}  // namespace agentctl::log
