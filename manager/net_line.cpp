// SPDX-License-Identifier: Apache-2.0
#include "manager/net_line.h"

#include <algorithm>

#include "base/clock.h"
#include "base/quantity.h"
#include "base/text.h"
#include "manager/receipt.h"

namespace agentctl::manager {
namespace {

constexpr std::size_t kDateAndTime = 19;  // without the time zone
constexpr std::size_t kVerdictWidth = 9;

std::string place(const JsonValue& event) {
  const std::string& host = event["host"].text;
  if (host.empty()) return "a connection";
  const JsonValue& port = event["port"];
  return port.kind == JsonValue::Kind::number ? cat(printable(host), ":", port.number()) : printable(host);
}

std::string what_went_through(const JsonValue& event) {
  if (event["protocol"].text == "dns") return {};
  std::string text =
      cat(": ", format_size(event["bytes_up"].number()), " up, ", format_size(event["bytes_down"].number()), " down");
  if (event["address"].kind == JsonValue::Kind::text) text += cat(", at ", printable(event["address"].text));
  return cat(text, ", for ", format_rounded(event["duration_usec"].number()));
}

std::string why_not(const JsonValue& event, std::string_view session) {
  std::string text = cat(": ", printable(event["detail"].text));
  const std::string& allow = event["allow"].text;
  if (!session.empty() && !allow.empty())
    text += cat("; agentctl allow ", printable(shell_quote(session)), " ", printable(shell_quote(allow)));
  return text;
}

}  // namespace

std::string net_line(const JsonValue& event, std::string_view session) {
  const std::string verdict = printable(event["verdict"].text);
  std::string line = cat(format_local_time(event["time_usec"].number()).substr(0, kDateAndTime), "  ", verdict,
                         std::string(kVerdictWidth - std::min(kVerdictWidth - 1, verdict.size()), ' '), place(event),
                         " (", printable(event["protocol"].text), ")");
  if (event["count"].number() > 1) line += cat(", ", event["count"].number(), " times");
  return line + (verdict == "allowed" ? what_went_through(event) : why_not(event, session));
}

}  // namespace agentctl::manager
