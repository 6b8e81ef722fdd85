// SPDX-License-Identifier: Apache-2.0
// What a running session with the network mode allowlist reaches.
#include <utility>

#include "base/text.h"
#include "manager/command_line/verbs.h"

namespace agentctl::manager::command_line {
namespace {

struct Typed {
  std::string name;
  std::string host;
};

using ParseRule = Result<policy::HostRule> (*)(std::string_view text);

struct Texts {
  const char* verb;
  const char* usage;
  const char* help;
  const char* host;
  const char* footer;
};

template <typename Options>
void add(Verbs& verbs, const Texts& words, ParseRule parse) {
  const auto typed = std::make_shared<Typed>();
  const auto finish = [typed, parse](const CLI::App&) -> Result<Command> {
    auto rule = parse(typed->host);
    if (!rule) return make_error(ErrorKind::usage, cat("'", printable(typed->host), "' ", rule.error().message));
    return Command(Options{typed->name, std::move(*rule)});
  };
  CLI::App* command = verbs.add(words.verb, words.usage, words.help, {finish});
  command->add_option("NAME", typed->name, "a session, or the beginning of its name")->required();
  command->add_option("HOST", typed->host, words.host)->required();
  command->footer(words.footer);
}

}  // namespace

void add_allow_commands(Verbs& verbs) {
  add<AllowOptions>(verbs,
                    {.verb = "allow",
                     .usage = "agentctl allow NAME HOST[:PORT]",
                     .help = "let a session with --net allowlist reach one more host",
                     .host = "a name, '*.NAME' for all below it, an address or a range; ports 80 and 443, or PORT",
                     .footer = "Examples:\n"
                               "  agentctl allow claude-webshop docs.example.com\n"
                               "  agentctl allow claude-webshop '*.example.com'\n"
                               "  agentctl allow claude-webshop git.example.com:22"},
                    policy::parse_allow_rule);
  add<DenyOptions>(verbs,
                   {.verb = "deny",
                    .usage = "agentctl deny NAME HOST[:PORT]",
                    .help = "have a session with --net allowlist reach a host no longer",
                    .host = "as with allow; without PORT every port",
                    .footer = "Example:\n"
                              "  agentctl deny claude-webshop docs.example.com"},
                   policy::parse_deny_rule);
}

}  // namespace agentctl::manager::command_line
