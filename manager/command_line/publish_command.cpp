// SPDX-License-Identifier: Apache-2.0
// What of a session's network is reached from this machine.
#include "manager/command_line/verbs.h"
#include "policy/host.h"

namespace agentctl::manager::command_line {
namespace {

struct Publish {
  PublishOptions options;
  std::string port;
};

struct Unpublish {
  UnpublishOptions options;
  std::string port;
};

Result<Command> finish_publish(Publish& publish) {
  publish.options.publication = AGENTCTL_TRY(policy::parse_publication(publish.port));
  return Command(publish.options);
}

Result<Command> finish_unpublish(Unpublish& unpublish) {
  unpublish.options.host_port = AGENTCTL_TRY(policy::parse_publication(unpublish.port)).host_port;
  return Command(unpublish.options);
}

}  // namespace

void add_publish_commands(Verbs& verbs) {
  const auto publish = std::make_shared<Publish>();
  CLI::App* command = verbs.add("publish", "agentctl publish NAME [HOST-PORT:]PORT|auto",
                                "reach a server in a session on this machine's own loopback",
                                {[publish](const CLI::App&) { return finish_publish(*publish); }});
  command->add_option("NAME", publish->options.name, "a session, or the beginning of its name")->required();
  command
      ->add_option("PORT", publish->port,
                   "the server's port, after one of this machine and ':' or not; auto: all there are")
      ->required();
  const auto unpublish = std::make_shared<Unpublish>();
  command = verbs.add("unpublish", "agentctl unpublish NAME PORT|auto", "publish a port no longer",
                      {[unpublish](const CLI::App&) { return finish_unpublish(*unpublish); }});
  command->add_option("NAME", unpublish->options.name, "a session, or the beginning of its name")->required();
  command->add_option("PORT", unpublish->port, "the port of this machine; auto: all that were published by themselves")
      ->required();
}

}  // namespace agentctl::manager::command_line
