// SPDX-License-Identifier: Apache-2.0
#include "manager/service/verb_run.h"

#include <signal.h>

#include <filesystem>
#include <optional>
#include <string>

#include <doctest/doctest.h>

#include "base/file.h"
#include "base/process.h"
#include "manager/service/verbs.h"
#include "tests/support/scratch_dir.h"

namespace agentctl::manager::service {
namespace {

constexpr std::uint64_t kLongUsec = 20'000'000;

VerbCommand shell(const std::string& script, std::uint64_t deadline_usec = kLongUsec) {
  return {"/bin/sh", {"-c", script}, {"PATH=/usr/bin:/bin", "GIVEN=yes"}, "/", deadline_usec};
}

VerbOutcome run(const VerbCommand& command) {
  EventLoop loop;
  std::optional<VerbOutcome> outcome;
  std::unique_ptr<VerbRun> verb;
  auto started = VerbRun::start(loop, command, [&](const VerbOutcome& ended) {
    outcome = ended;
    verb.reset();
  });
  REQUIRE(started.has_value());
  verb = std::move(*started);
  REQUIRE(loop.run_until([&] { return outcome.has_value(); }).has_value());
  return *outcome;
}

}  // namespace

TEST_SUITE("verb_run") {
  TEST_CASE("output, errors and status are kept apart") {
    const VerbOutcome outcome = run(shell("echo out; echo err >&2; exit 3"));
    CHECK(outcome.output == "out\n");
    CHECK(outcome.errors == "err\n");
    CHECK(outcome.status == 3);
    CHECK_FALSE(outcome.timed_out);
  }

  TEST_CASE("it has the variables and the directory that it was given, and no input") {
    const test::ScratchDir scratch;
    VerbCommand command = shell("echo $GIVEN $HOME; pwd; cat");
    command.directory = std::filesystem::canonical(scratch.path()).string();
    CHECK(run(command).output == "yes\n" + command.directory + "\n");
  }

  TEST_CASE("signals that are blocked here are not blocked there") {
    sigset_t blocked;
    sigset_t before;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGTERM);
    sigprocmask(SIG_BLOCK, &blocked, &before);
    const VerbOutcome outcome = run(shell("kill -TERM $$; exit 0"));
    sigprocmask(SIG_SETMASK, &before, nullptr);
    CHECK(outcome.status == 128 + SIGTERM);
  }

  TEST_CASE("at its deadline it is killed") {
    const VerbOutcome outcome = run(shell("echo before; exec sleep 1000", 100'000));
    CHECK(outcome.timed_out);
    CHECK(outcome.status == 128 + SIGKILL);
  }

  TEST_CASE("what holds its streams open does not hold it up") {
    const VerbOutcome outcome = run(shell("sleep 1000 & echo $!"));
    CHECK(outcome.status == 0);
    const pid_t holder = std::stoi(outcome.output);
    CHECK(::kill(holder, SIGKILL) == 0);
  }

  TEST_CASE("of a flood the first part of the output and the last of the errors are kept") {
    const VerbOutcome outcome =
        run(shell("head -c 6000000 /dev/zero | tr '\\0' a; head -c 200000 /dev/zero | tr '\\0' b >&2; echo end >&2"));
    CHECK(outcome.output.size() == 4U << 20);
    CHECK(outcome.errors.size() == 64U << 10);
    CHECK(outcome.errors.ends_with("bend\n"));
  }

  TEST_CASE("a directory that is not there is refused by its name") {
    VerbCommand command = shell("echo ran");
    command.directory = "/not/there";
    const VerbOutcome outcome = run(command);
    CHECK(outcome.output.empty());
    CHECK(error_of(outcome) ==
          BusError{kInvalidArgument, "cannot enter the directory '/not/there': No such file or directory"});
  }

  TEST_CASE("a program that was removed is told") {
    VerbCommand command = shell("");
    command.program = "/not/there/agentctl";
    CHECK(error_of(run(command)) == BusError{kFailed, "cannot run this program again: it was removed"});
  }

  TEST_CASE("destroyed early, it takes its child with it") {
    EventLoop loop;
    const test::ScratchDir scratch;
    const std::string file = scratch.path() + "/pid";
    auto verb = VerbRun::start(loop, shell("echo $$ > " + file + "; echo said; exec sleep 1000"),
                               [](const VerbOutcome&) { FAIL("it has ended by itself"); });
    REQUIRE(verb.has_value());
    bool is_late = false;
    loop.after(kLongUsec, [&] { is_late = true; });
    REQUIRE(loop.run_until([&] { return is_late || std::filesystem::exists(file); }).has_value());
    REQUIRE_FALSE(is_late);
    const auto pid = read_file(file);
    REQUIRE(pid.has_value());
    verb->reset();
    CHECK_FALSE(read_process_stat(std::stoi(*pid)).has_value());
  }

  TEST_CASE("several run at once, and each is heard of") {
    EventLoop loop;
    Verbs verbs(loop, "/bin/sh");
    int ended = 0;
    for (int count = 0; count < 5; ++count) {
      verbs.run({"-c", "exit 0"}, kLongUsec,
                [&](const VerbOutcome& outcome) { ended += outcome.status == 0 ? 1 : 100; });
    }
    REQUIRE(loop.run_until([&] { return ended >= 5; }).has_value());
    CHECK(ended == 5);
    CHECK_FALSE(verbs.is_full());
  }
}

}  // namespace agentctl::manager::service
