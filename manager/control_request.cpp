// SPDX-License-Identifier: Apache-2.0
#include "manager/control_request.h"

#include <charconv>
#include <optional>
#include <utility>
#include <vector>

#include "base/overloaded.h"
#include "base/text.h"
#include "policy/host.h"

namespace agentctl::manager {
namespace {

std::optional<std::uint64_t> parse_whole(std::string_view word) {
  std::uint64_t value = 0;
  const auto parsed = std::from_chars(word.data(), word.data() + word.size(), value);
  const bool is_all = parsed.ec == std::errc{} && parsed.ptr == word.data() + word.size();
  return is_all ? std::optional(value) : std::nullopt;
}

}  // namespace

Result<ControlRequest> parse_request(std::string_view text) {
  std::vector<std::string_view> words;
  for_each_part(text, ' ', [&](std::string_view word) { words.push_back(word); });
  const std::string_view verb = words.front();
  if (verb == "stop" && words.size() == 2) {
    if (const auto grace = parse_whole(words[1])) return ControlRequest(StopRequest{*grace});
  }
  if (verb == "pause" && words.size() == 1) return ControlRequest(PauseRequest{});
  if (verb == "resume" && words.size() == 1) return ControlRequest(ResumeRequest{});
  if (verb == "publish" && words.size() == 2) {
    if (const auto publication = policy::parse_publication(words[1])) {
      return ControlRequest(PublishRequest{*publication});
    }
  }
  if (verb == "unpublish" && words.size() == 2) {
    if (const auto what = policy::parse_publication(words[1])) return ControlRequest(UnpublishRequest{what->host_port});
  }
  if (verb == "allow" && words.size() == 2) {
    if (auto rule = policy::parse_allow_rule(words[1])) return ControlRequest(AllowRequest{std::move(*rule)});
  }
  if (verb == "deny" && words.size() == 2) {
    if (auto rule = policy::parse_deny_rule(words[1])) return ControlRequest(DenyRequest{std::move(*rule)});
  }
  if (verb == "limits") {
    if (const auto change = parse_words({words.begin() + 1, words.end()}))
      return ControlRequest(LimitsRequest{*change});
  }
  return make_error(ErrorKind::usage, "the session does not know this request",
                    "its agentctl may be of another version: see 'agentctl --version'");
}

std::string to_text(const ControlRequest& request) {
  return std::visit(
      Overloaded{[](const StopRequest& stop) { return cat("stop ", stop.grace_usec); },
                 [](const PauseRequest&) { return std::string("pause"); },
                 [](const ResumeRequest&) { return std::string("resume"); },
                 [](const PublishRequest& publish) { return cat("publish ", to_string(publish.publication)); },
                 [](const UnpublishRequest& unpublish) {
                   return cat("unpublish ", to_string(policy::Publication{unpublish.host_port, unpublish.host_port}));
                 },
                 [](const AllowRequest& allow) { return cat("allow ", policy::to_string(allow.rule)); },
                 [](const DenyRequest& deny) { return cat("deny ", policy::to_string(deny.rule)); },
                 [](const LimitsRequest& limits) { return cat("limits ", join(to_words(limits.change), " ")); }},
      request);
}

}  // namespace agentctl::manager
