// SPDX-License-Identifier: Apache-2.0
#include "manager/screen_model.h"

#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "manager/session_screen.h"

namespace agentctl::manager {
namespace {

constexpr winsize kSize = {6, 20, 0, 0};

// What another terminal shows that was given the repaint: itself repainted, which must be the same again.
std::string repaint_of(std::string_view output) {
  SessionScreen first(kSize);
  (void)first.pass(output);
  const std::string painted = first.model().repaint();
  SessionScreen second(kSize);
  (void)second.pass("stale \x1b[31mtext\x1b[?1003h\x1b[3;4r\x1b(0");
  (void)second.pass(painted);
  CHECK(second.model().repaint() == painted);
  return painted;
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_SUITE("screen model") {
  TEST_CASE("text is repainted at its place, the cursor where it was") {
    const std::string painted = repaint_of("first\r\n\r\n  third");
    CHECK(has(painted, "\x1b[1;1Hfirst"));
    CHECK(has(painted, "\x1b[3;1H  third"));
    CHECK(painted.ends_with("\x1b[3;8H\x1b[0m"));
  }

  TEST_CASE("attributes and colours are repainted, and those that are set go on") {
    const std::string painted =
        repaint_of("\x1b[1;4;31mA\x1b[0;2;3mB\x1b[22;38;5;200mC\x1b[0;7;48;2;1;2;3mD\x1b[0;58;5;1;94mE\x1b[9m");
    CHECK(has(painted, "\x1b[0;1;4;31mA"));
    CHECK(has(painted, "\x1b[0;2;3mB"));
    CHECK(has(painted, "\x1b[0;3;38;5;200mC"));
    CHECK(has(painted, "\x1b[0;7;48;2;1;2;3mD"));
    CHECK(has(painted, "\x1b[0;94mE"));
    CHECK(painted.ends_with("\x1b[0;9;94m"));
  }

  TEST_CASE(
      "sequences of more numbers than libvterm has room for are survived, in what is printed and what is painted") {
    std::string many = "\x1b[1";
    for (int at = 0; at < 300; ++at) many += at % 2 == 0 ? ";1" : ":1";
    SessionScreen screen(kSize);
    (void)screen.pass(many + "m" + many + "u" + many + "H");
    (void)screen.pass("\x1b[1;2;3m\x1b[4:3m\x1b[5;7;9m\x1b[38;2;1;2;3m\x1b[48;2;4;5;6mx");
    screen.model().resize({8, 30, 0, 0});
    screen.model().resize(kSize);
    CHECK(has(screen.model().repaint(), "38;2;1;2;3;48;2;4;5;6mx"));
  }

  TEST_CASE("wide, combined and coloured blank cells keep their places") {
    const std::string painted = repaint_of(
        "\xe6\xbc\xa2"
        "e\xcc\x81!\x1b[44m  \x1b[m x");
    CHECK(has(painted,
              "\x1b[1;1H\xe6\xbc\xa2"
              "e\xcc\x81!\x1b[0;44m  \x1b[0m x"));
  }

  TEST_CASE("the alternate screen is repainted over the one below it") {
    const std::string painted = repaint_of("below\r\n\x1b[?1049h\x1b[2;2Habove");
    const std::size_t below = painted.find("\x1b[1;1Hbelow");
    const std::size_t change = painted.find("\x1b[?1049h");
    const std::size_t above = painted.find("above");
    REQUIRE(above != std::string::npos);
    CHECK(below < change);
    CHECK(change < above);
    CHECK_FALSE(has(repaint_of("below\x1b[?1049habove\x1b[?1049l"), "above"));
  }

  TEST_CASE("modes, title, keyboard protocol and cursor shape come back") {
    const std::string painted = repaint_of(
        "\x1b[?25l\x1b[?1002h\x1b[?1006h\x1b[?2004h\x1b[?1h\x1b=\x1b[5 q\x1b]0;name\a\x1b[>1u\x1b[2;4r\x1b(0q");
    for (const std::string_view part : {"\x1b[?25l", "\x1b[?1002h", "\x1b[?1006h", "\x1b[?2004h", "\x1b[?1h", "\x1b=",
                                        "\x1b[5 q", "\x1b]2;name\x1b\\", "\x1b[>1u", "\x1b[2;4r", "\xe2\x94\x80"}) {
      CAPTURE(std::string(part));
      CHECK(has(painted, part));
    }
    CHECK(painted.ends_with("\x1b(0"));
  }

  TEST_CASE("what was reset does not come back") {
    const std::string painted = repaint_of(
        "\x1b[?1002h\x1b[?2004h\x1b[?1h\x1b]0;name\a text\x1b"
        "c");
    CHECK_FALSE(has(painted, "text"));
    CHECK_FALSE(has(painted, "\x1b[?1002h"));
    CHECK_FALSE(has(painted, "name"));
  }

  TEST_CASE("a smaller and a larger window keep what fits") {
    SessionScreen screen(kSize);
    (void)screen.pass("one\r\ntwo");
    screen.model().resize({3, 10, 0, 0});
    CHECK(has(screen.model().repaint(), "two"));
    screen.model().resize({50, 200, 0, 0});
    screen.model().resize({0, 0, 0, 0});
    CHECK(has(screen.model().repaint(), "two"));
  }

  TEST_CASE("lines that have scrolled away leave the styles that they set, and nothing else") {
    for (const std::string_view line :
         {"line\r\n", "\x1b[31mred\x1b[1m\x1b[K\r\n", "a line that wraps around the edge\r\n"}) {
      SessionScreen at_once(kSize);
      SessionScreen step_by_step(kSize);
      std::string output = "\x1b[44mbefore\r\n";
      for (int number = 0; number < 100; ++number) output += std::to_string(number).append(line);
      output += "last\x1b[2;3Hhere";
      (void)at_once.pass(output);
      for (const char byte : output) {
        (void)step_by_step.pass(std::string_view(&byte, 1));
        (void)step_by_step.model().paint_message("", kSize);  // which draws
      }
      CHECK(at_once.model().repaint() == step_by_step.model().repaint());
    }
  }

  TEST_CASE("questions are answered only where no terminal does") {
    SessionScreen screen(kSize);
    std::string answers;
    (void)screen.pass("\x1b[6n");
    screen.model().answer_with([&](std::string_view answer) { answers += answer; });
    CHECK(answers.empty());
    (void)screen.pass("ab\x1b[6n\x1b[c");
    CHECK(answers == "\x1b[1;3R\x1b[?1;2c");
    screen.model().answer_with(nullptr);
    (void)screen.pass("\x1b[6n");
    (void)screen.model().repaint();
    CHECK(answers == "\x1b[1;3R\x1b[?1;2c");
  }

  TEST_CASE("a message covers the lowest row that is seen, and the cursor stays") {
    SessionScreen screen(kSize);
    (void)screen.pass("\x1b[6;1Hlowest\x1b[2;3H");
    const std::string message = screen.model().paint_message("hello", {4, 20, 0, 0});
    CHECK(has(message, "\x1b[4;1H\x1b[m\x1b[7mhello"));
    CHECK(message.ends_with("\x1b[2;3H\x1b[0m"));
  }
}

}  // namespace agentctl::manager
