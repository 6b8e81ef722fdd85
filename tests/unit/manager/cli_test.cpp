// SPDX-License-Identifier: Apache-2.0
#include "manager/cli.h"

#include <doctest/doctest.h>

#include "base/quantity.h"
#include "base/text.h"

namespace agentctl::manager {
namespace {

using Words = std::vector<std::string>;

Result<Command> parse(Words words) {
  words.insert(words.begin(), "agentctl");
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  return parse_command_line(static_cast<int>(words.size()), argv.data());
}

template <typename Options>
Options parsed(const Words& words) {
  const auto command = parse(words);
  INFO("words: ", join(words, " "));
  REQUIRE_MESSAGE(command.has_value(), command.error().message);
  REQUIRE(std::holds_alternative<Options>(*command));
  return std::get<Options>(*command);
}

std::string refused(const Words& words) {
  const auto command = parse(words);
  INFO("words: ", join(words, " "));
  REQUIRE_FALSE(command.has_value());
  CHECK(command.error().kind == ErrorKind::usage);
  CHECK(command.error().message.find('\n') == std::string::npos);
  return command.error().message;
}

}  // namespace

TEST_SUITE("cli") {
  TEST_CASE("options after the command belong to the command") {
    const auto start = parsed<StartOptions>({"start", "--name", "n", "sh", "--name", "x", "-q", "--help"});
    CHECK(start.name == "n");
    CHECK_FALSE(start.quiet);
    CHECK(start.command == Words{"sh", "--name", "x", "-q", "--help"});
  }

  TEST_CASE("the first -- ends our options and the second is the command's") {
    const auto start = parsed<StartOptions>({"start", "-q", "--", "--name", "--", "-n"});
    CHECK(start.quiet);
    CHECK(start.name.empty());
    CHECK(start.command == Words{"--name", "--", "-n"});
  }

  TEST_CASE("each host that is allowed or denied is an option of its own, and takes no word of the command") {
    const auto start = parsed<StartOptions>({"start", "--net", "allowlist", "--allow", "a.example",
                                             "--allow=*.b.example:22", "--deny", "c.example", "make"});
    CHECK(start.allow == Words{"a.example", "*.b.example:22"});
    CHECK(start.deny == Words{"c.example"});
    CHECK(start.command == Words{"make"});
    CHECK(parsed<ExplainOptions>({"explain", "--allow", "a.example", "a.example"}).start.allow == Words{"a.example"});
    CHECK(parsed<ProbeOptions>({"probe", "--deny", "a.example"}).start.deny == Words{"a.example"});
  }

  TEST_CASE("a host of a running session is a rule, or refused with what is wrong with it") {
    const auto allow = parsed<AllowOptions>({"allow", "s", "*.Example.com:8443"});
    CHECK(allow.name == "s");
    CHECK(policy::to_string(allow.rule) == "*.example.com:8443");
    CHECK(policy::to_string(parsed<DenyOptions>({"deny", "s", "localhost"}).rule) == "localhost");
    CHECK(refused({"allow", "s", "localhost"}).find("must not be the loopback") != std::string::npos);
    CHECK(refused({"allow", "s", "https://a.example"}).find("without scheme and path") != std::string::npos);
    CHECK(refused({"allow", "s", "!a.example"}).starts_with("'!a.example' must not hold '!'"));
    CHECK(refused({"allow", "s", "*"}).find("must not be every host") != std::string::npos);
    CHECK(refused({"deny", "s", ""}).find("must not be empty") != std::string::npos);
    CHECK_FALSE(refused({"allow", "s"}).empty());
    CHECK_FALSE(refused({"allow", "s", "a.example", "b.example"}).empty());
  }

  TEST_CASE("the log of the network is asked for by --net, which does not go with --raw") {
    const auto logs = parsed<LogsOptions>({"logs", "-f", "--net", "--json", "s"});
    CHECK((logs.net && logs.json && logs.follow));
    CHECK(refused({"logs", "--net", "--raw", "s"}) == "--raw must not stand beside --net");
    CHECK(refused({"logs", "--json", "s"}) == "logs takes --json only with --net");
  }

  TEST_CASE("the value of an option is not taken for the command") {
    const auto start = parsed<StartOptions>({"start", "-C", "/p", "--memory-max", "8G", "--cpu-quota=150%", "-nfix",
                                             "--ro", "/a", "--ro", "/b", "make", "-j2"});
    CHECK(start.project == "/p");
    CHECK(start.name == "fix");
    CHECK(start.read_only == Words{"/a", "/b"});
    REQUIRE(start.limits.size() == 2);
    CHECK(start.limits[0] == std::pair<std::string, std::string>("memory-max", "8G"));
    CHECK(start.limits[1] == std::pair<std::string, std::string>("cpu-quota", "150%"));
    CHECK(start.command == Words{"make", "-j2"});
  }

  TEST_CASE("a list option takes one value and leaves the next word to the command") {
    const auto start = parsed<StartOptions>({"start", "--env", "A=1", "--hide", "x", "env"});
    CHECK(start.env == Words{"A=1"});
    CHECK(start.hide == Words{"x"});
    CHECK(start.command == Words{"env"});
  }

  TEST_CASE("words of the command keep their bytes") {
    const Words command = {"sh", "-c", "echo 'a b'\n\t\\ \xff", "", "-"};
    Words words = {"start", "--"};
    words.insert(words.end(), command.begin(), command.end());
    CHECK(parsed<StartOptions>(words).command == command);
  }

  TEST_CASE("a start without a command is left to the policy") {
    CHECK(parsed<StartOptions>({"start", "-q"}).command.empty());
  }

  TEST_CASE("every kind of manager has its word") {
    CHECK(parsed<StartOptions>({"start", "x"}).manager == units::ManagerKind::automatic);
    CHECK(parsed<StartOptions>({"start", "--manager", "user", "x"}).manager == units::ManagerKind::user);
    CHECK(parsed<StartOptions>({"start", "--manager", "system", "x"}).manager == units::ManagerKind::system);
    CHECK(parsed<StartOptions>({"start", "--manager", "private", "x"}).manager == units::ManagerKind::private_manager);
  }

  TEST_CASE("stop waits ten seconds by default and not at all with --kill") {
    CHECK(parsed<StopOptions>({"stop", "a"}).grace_usec == 10'000'000);
    CHECK(parsed<StopOptions>({"stop", "a", "--grace", "90s"}).grace_usec == 90'000'000);
    CHECK(parsed<StopOptions>({"stop", "--kill", "a", "b"}).grace_usec == 0);
    CHECK(parsed<StopOptions>({"stop", "a", "b"}).names == Words{"a", "b"});
    CHECK(parsed<StopOptions>({"stop", "--all"}).all);
  }

  TEST_CASE("an option that -- follows has no value") {
    CHECK(refused({"start", "--hide", "--", "true"}) == "--hide must be followed by a value, not by '--'");
    CHECK(refused({"explain", "--ro", "--", "x"}) == "--ro must be followed by a value, not by '--'");
    CHECK(refused({"start", "-n", "--"}) == "-n must be followed by a value, not by '--'");
    CHECK(parsed<StartOptions>({"start", "--hide", "./--", "--", "true"}).hide == Words{"./--"});
    CHECK(parsed<StartOptions>({"start", "--hide=--", "true"}).hide == Words{"--"});
    CHECK(parsed<StartOptions>({"start", "-q", "--", "--hide", "--"}).command == Words{"--hide", "--"});
  }

  TEST_CASE("receipt takes a name or none") {
    CHECK(parsed<ReceiptOptions>({"receipt", "--json"}).name.empty());
    CHECK(parsed<ReceiptOptions>({"receipt", "n"}).name == "n");
  }

  TEST_CASE("status takes a name or none, and JSON") {
    CHECK(parsed<StatusOptions>({"status"}).name.empty());
    const auto status = parsed<StatusOptions>({"status", "--json", "x"});
    CHECK(status.json);
    CHECK(status.name == "x");
    CHECK(parsed<CgroupOptions>({"cgroup", "x"}).name == "x");
  }

  TEST_CASE("help is text to print, for the whole and for each command") {
    CHECK(parsed<TextToPrint>({"--help"}).text.find("start") != std::string::npos);
    CHECK(parsed<TextToPrint>({"start", "--help"}).text.find("--memory-max") != std::string::npos);
    CHECK(parsed<TextToPrint>({"start", "-q", "--help"}).text.find("belong to COMMAND") != std::string::npos);
    CHECK(parsed<TextToPrint>({"stop", "--help"}).text.find("--grace") != std::string::npos);
    CHECK(parsed<TextToPrint>({"--version"}).text == "agentctl " AGENTCTL_VERSION "\n");
  }

  TEST_CASE("what nobody knows is refused by its name") {
    CHECK(refused({"start", "--memry-max", "8G", "x"}).find("memry-max") != std::string::npos);
    CHECK(refused({"stop", "--forcefully", "x"}).find("forcefully") != std::string::npos);
    CHECK(refused({"halt"}) == "'halt' is not a command of agentctl");
    CHECK(refused({"halt\x1b", "start"}).find('\x1b') == std::string::npos);
  }

  TEST_CASE("a command line without its part is refused") {
    refused({});
    refused({"stop"});
    refused({"cgroup"});
    refused({"start", "--name"});
  }

  TEST_CASE("a command may be shortened to what no other begins with") {
    CHECK(parsed<StatusOptions>({"stat", "x"}).name == "x");
    CHECK(parsed<StartOptions>({"star", "-q", "--", "-q"}).command == Words{"-q"});
    CHECK(refused({"sta"}) == "'sta' is ambiguous");
    CHECK(refused({"statuses"}) == "'statuses' is not a command of agentctl; did you mean 'status'?");
    CHECK(refused({""}) == "'' is not a command of agentctl");
  }

  TEST_CASE("what cannot be meant together is refused") {
    CHECK(refused({"start", "--no-limits", "--tasks-max", "9", "x"}).find("beside --tasks-max") != std::string::npos);
    CHECK(parsed<StartOptions>({"start", "--no-limits", "--runtime-max", "9s", "x"}).no_limits);
    refused({"start", "--no-limits", "--manager", "user", "x"});
    refused({"stop", "--kill", "--grace", "1s", "x"});
    refused({"start", "--json", "x"});
  }

  TEST_CASE("an option of another program's is told with the one that was meant") {
    CHECK(refused({"start", "--read-only=/x", "x"}).ends_with("did you mean '--ro'?"));
    CHECK(refused({"start", "--hom=private", "x"}).ends_with("did you mean '--home'?"));
    CHECK(parsed<StartOptions>({"start", "--protect", "a", "--protect", "b", "x"}).protect == Words{"a", "b"});
    CHECK(parsed<StartOptions>({"start", "--home", "read-only", "x"}).home == "read-only");
    CHECK_FALSE(parsed<StartOptions>({"start", "x"}).home.has_value());
  }

  TEST_CASE("a value of the wrong kind is refused") {
    refused({"start", "--parent-pid", "me", "x"});
    refused({"start", "--manager", "init", "x"});
    refused({"stop", "a", "--grace", "soon"});
    refused({"status", "a", "b"});
  }

  TEST_CASE("-H before the command gives the words after it to another machine, as they are") {
    const auto remote = parsed<RemoteOptions>({"-H", "me@there", "star", "-q", "-C", "a b", "--", "sh", "-H", "x"});
    CHECK(remote.host == "me@there");
    CHECK(remote.words == Words{"start", "-q", "-C", "a b", "--", "sh", "-H", "x"});
    CHECK(remote.starts);
    CHECK(remote.wants_terminal);
    CHECK(parsed<RemoteOptions>({"--host=there", "status", "--json"}).words == Words{"status", "--json"});
    CHECK(parsed<RemoteOptions>({"-Hthere", "stop", "--all"}).host == "there");
    CHECK_FALSE(parsed<RemoteOptions>({"--host", "there", "stop", "--all"}).starts);
    CHECK(parsed<StartOptions>({"start", "ssh", "-H", "x"}).command == Words{"ssh", "-H", "x"});
  }

  TEST_CASE("a terminal is wanted there by what talks to a person") {
    const auto wants = [](Words words) {
      words.insert(words.begin(), {"-H", "there"});
      return parsed<RemoteOptions>(words).wants_terminal;
    };
    CHECK(wants({"start"}));
    CHECK(wants({"attach", "a"}));
    CHECK(wants({"exec", "a", "sh"}));
    CHECK(wants({"status", "--watch"}));
    CHECK(wants({"logs", "-f", "a"}));
    CHECK_FALSE(wants({"start", "--detach"}));
    CHECK_FALSE(wants({"start", "--dry-run"}));
    CHECK_FALSE(wants({"status", "--json"}));
    CHECK_FALSE(wants({"logs", "a"}));
    CHECK_FALSE(wants({"logs", "-f", "--raw", "a"}));
  }

  TEST_CASE("a host that ssh would take for something else is refused") {
    CHECK(refused({"-H", "-oProxyCommand=x", "status"}).starts_with("--host must not begin with '-'"));
    CHECK(refused({"-H", "me@-x", "status"}).starts_with("--host must not begin with '-'"));
    CHECK(refused({"-H", "", "status"}) == "--host must not be empty");
    CHECK(refused({"--host=", "status"}) == "--host must not be empty");
    CHECK(refused({"-H", "a b", "status"}).find("no blanks") != std::string::npos);
    CHECK(refused({"-H", "a\nb", "status"}).find("no blanks") != std::string::npos);
    CHECK(refused({"-H", "me@", "status"}).find("before and after") != std::string::npos);
    CHECK(refused({"-H", "@there", "status"}).find("before and after") != std::string::npos);
    CHECK(refused({"-H", "\x1b[31m", "status"}).find('\x1b') == std::string::npos);
  }

  TEST_CASE("-H without a command, twice, in a wrong place or before what is about this machine is refused") {
    CHECK(refused({"-H"}) == "-H must be followed by a host");
    CHECK(refused({"-H", "there"}) == "--host must be followed by a command");
    CHECK(refused({"-H", "there", "--version"}) == "--host must be followed by a command");
    CHECK(refused({"-H", "there", "-H", "other", "status"}) == "--host is given twice");
    CHECK(refused({"status", "-H", "there"}).ends_with("'-H HOST' stands before 'status'"));
    CHECK(refused({"-H", "there", "completion", "bash"}).find("before 'completion'") != std::string::npos);
    CHECK(refused({"-H", "there", "supervise"}) == "'supervise' is not a command of agentctl");
    CHECK(refused({"-H", "there", "complete", "bash"}).starts_with("'complete' is not a command of agentctl"));
    CHECK(refused({"-H", "there", "stop"}) == "stop needs either a NAME or --all");
    CHECK(parsed<TextToPrint>({"-H", "there", "stop", "--help"}).text.find("--grace") != std::string::npos);
  }

  TEST_CASE("what is refused is printable") {
    CHECK(refused({"start", "--\x1b[31m", "x"}).find('\x1b') == std::string::npos);
    CHECK(refused({"start", "--manager", "\x1b[31m", "x"}).find('\x1b') == std::string::npos);
    CHECK(refused({"stop", "x", "--grace", "\x1b[31m"}).find('\x1b') == std::string::npos);
  }

  TEST_CASE("launch takes a directory of any name, or asks") {
    CHECK(parsed<LaunchOptions>({"launch"}).directory.empty());
    CHECK(parsed<LaunchOptions>({"launch", "-p", "pi", "a b"}).directory == "a b");
    CHECK(parsed<LaunchOptions>({"launch", "--", "--help"}).directory == "--help");
    CHECK(parsed<LaunchOptions>({"launch", "--status"}).status);
    CHECK(parsed<LaunchOptions>({"launch", "--stop-all"}).stop_all);
  }

  TEST_CASE("launch refuses what cannot be meant together") {
    refused({"launch", "--status", "--stop-all"});
    refused({"launch", "--status", "x"});
    refused({"launch", "--stop-all", "-p", "pi"});
    refused({"launch", "--browse", "x"});
    refused({"launch", ""});
    refused({"launch", "a", "b"});
  }

  TEST_CASE("the words of a window are taken as they are, and are no command for people") {
    CHECK(parsed<WindowOptions>({"in-window", "1", "2", "status"}).words == Words{"1", "2", "status"});
    refused({"in-window"});
  }

  TEST_CASE("the service takes nothing on its command line") {
    (void)parsed<ServeOptions>({"serve"});
    (void)refused({"serve", "now"});
    (void)refused({"serve", "--detach"});
  }
}

}  // namespace agentctl::manager
