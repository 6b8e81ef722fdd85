// SPDX-License-Identifier: Apache-2.0
// Opening a window with programs in the emulator's place: what becomes of one that works is for the sandbox tier.
#include "manager/launcher/terminal_window.h"

#include <doctest/doctest.h>

#include "base/process.h"
#include "base/text.h"
#include "manager/cli.h"
#include "manager/launcher/window_program.h"

namespace agentctl::launcher {
namespace {

// A shell script that gets the words of the command as its arguments.
Terminal script(std::string text) { return {"/bin/sh", {"-c", std::move(text), "sh"}, {}}; }

std::string refused(const Terminal& terminal, std::uint64_t deadline_usec = kWindowDeadlineUsec) {
  const auto opened = open_window(terminal, {"status", "--watch"}, deadline_usec);
  if (opened) return "opened";
  CHECK(opened.error().kind == ErrorKind::environment);
  return opened.error().message;
}

}  // namespace

TEST_SUITE("terminal window") {
  TEST_CASE("a window counts as open when what runs in it says so") {
    // $1 is this program, $2 the verb, $3 the launcher.
    CHECK(refused(script("[ \"$2 $5 $6\" = 'in-window status _2d-watch' ] && kill -USR1 \"$3\"")) == "opened");
  }

  TEST_CASE("an emulator may hand over and end before that") {
    CHECK(refused(script("(read -r _ </proc/self/stat; kill -USR1 \"$3\") & exit 0")) == "opened");
  }

  TEST_CASE("one that fails is named, with the last line that it said, safe to be shown") {
    CHECK(refused(script("exit 7")) == "cannot open a window: '/bin/sh' ended with status 7");
    CHECK(refused(script("echo warning >&2; printf \"Can't open \\033display\\n\\n\" >&2; exit 1")) ==
          "cannot open a window: '/bin/sh' ended with status 1: Can't open \\x1bdisplay");
    CHECK(refused(script("kill -KILL $$")) == "cannot open a window: '/bin/sh' ended with status 137");
  }

  TEST_CASE("one that runs nothing is named after the deadline") {
    const std::string message = "cannot open a window: '/bin/sh' has run nothing within 50ms";
    CHECK(refused(script("exit 0"), 50'000) == message);
  }

  TEST_CASE("one that is not there is named at once") {
    CHECK(refused({"/nonexistent/xterm", {"-e"}, {}}).starts_with("cannot open a window: cannot run '/nonexistent"));
  }

  TEST_CASE("what an emulator says without end neither fills the memory nor stops it") {
    CHECK(refused(script("i=0; while [ $i -lt 2000 ]; do echo 'a warning of a toolkit' >&2; i=$((i+1)); done; "
                         "kill -USR1 \"$3\"")) == "opened");
  }

  TEST_CASE("the last line is the last with anything in it") {
    CHECK(last_line("a\nb\n \n\n") == "b");
    CHECK(last_line("").empty());
    CHECK(last_line(" \n").empty());
  }
}

TEST_SUITE("window words") {
  TEST_CASE("every word comes back as it was") {
    const WindowRequest request{{12, 345}, {"start", "-C", "/a b/-\n\xff%", ""}};
    std::vector<std::string> words = to_window_words(request);
    REQUIRE(words.front() == manager::kWindowVerb);
    for (const std::string& word : words) CHECK(word.find_first_of(" \n%'\"$\\-") != 0);
    words.erase(words.begin());
    const auto back = parse_window_words(words);
    REQUIRE(back.has_value());
    CHECK(back->launcher == request.launcher);
    CHECK(back->words == request.words);
  }

  TEST_CASE("words that no launcher writes are refused") {
    using Words = std::vector<std::string>;
    for (const Words& words :
         {Words{}, Words{"1", "2"}, Words{"x", "2", "status"}, Words{"1", "", "status"}, Words{"0", "2", "status"},
          Words{"infinity", "2", "status"}, Words{"4294967297", "2", "status"}, Words{"1", "2", "--watch"},
          Words{"1", "2", "a b"}}) {
      CAPTURE(join(words, "|"));
      CHECK_FALSE(parse_window_words(words).has_value());
    }
  }
}

}  // namespace agentctl::launcher
