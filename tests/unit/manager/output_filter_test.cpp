// SPDX-License-Identifier: Apache-2.0
#include "manager/output_filter.h"

#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "manager/escape_parser.h"
#include "manager/sequence_writer.h"

namespace agentctl::manager {
namespace {

// In pieces of that size.
std::string filtered(std::string_view output, std::size_t piece = 4096) {
  SequenceWriter writer;
  OutputFilter filter(writer);
  EscapeParser parser(filter);
  for (std::size_t at = 0; at < output.size(); at += piece) parser.parse(output.substr(at, piece));
  return writer.take();
}

void check_passes(std::string_view output) {
  CHECK(filtered(output) == output);
  CHECK(filtered(output, 1) == output);
}

void check_is_dropped(std::string_view output) {
  const std::string around = std::string("before").append(output).append("after");
  CHECK(filtered(around) == "beforeafter");
  CHECK(filtered(around, 1) == "beforeafter");
}

}  // namespace

TEST_SUITE("output filter") {
  TEST_CASE("text, lines and what draws pass unchanged, in whatever pieces they come") {
    check_passes("plain text\r\n\ttabbed\b\a\x7f");
    check_passes("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80 and \xe2\x80\x9c");  // whose last byte is a C1 control elsewhere
    check_passes("\x1b[1;31mred\x1b[0m\x1b[38;2;1;2;3m\x1b[4:3m\x1b[48;5;200m");
    check_passes("\x1b[H\x1b[2J\x1b[3;4H\x1b[K\x1b[5A\x1b[2;10r\x1b[S\x1b[L\x1b[M\x1b[@\x1b[P\x1b[X");
    check_passes(
        "\x1b"
        "7\x1b"
        "8\x1bM\x1bH\x1b(0\x1b(B\x0e\x0f\x1b=\x1b>\x1b#8");
    check_passes("\x1b[?1049h\x1b[?25l\x1b[?2004h\x1b[?1002;1006h\x1b[?2026h\x1b[4h\x1b[2 q\x1b[!p");
    check_passes("\x1b[>1u\x1b[<u\x1b[=5;1u\x1b[?u\x1b[>4;2m");
  }

  TEST_CASE("titles pass as one line of text") {
    check_passes("\x1b]0;a title\a");
    check_passes("\x1b]2;\xc3\xa9t\xc3\xa9\x1b\\");
    CHECK(filtered("\x1b]2;a\nb\xc2\x9b"
                   "c\a") == "\x1b]2;a\\x0ab\\x9bc\a");
  }

  TEST_CASE("what programs ask at their start passes, since no answer holds anything that they chose") {
    check_passes("\x1b[c\x1b[>c\x1b[=c\x1b[6n\x1b[5n\x1b[?6n\x1b[>q\x1b[?2026$p\x1b[18t\x1b[14t\x1b[?996n");
    check_passes("\x1b]10;?\x1b\\\x1b]11;?\a\x1b]4;1;?\a");
  }

  TEST_CASE("links to the web pass, others do not") {
    check_passes("\x1b]8;id=1;https://example.org/\x1b\\a link\x1b]8;;\x1b\\");
    check_is_dropped("\x1b]8;;file:///etc/passwd\x1b\\");
    check_is_dropped("\x1b]8;;javascript:alert(1)\a");
  }

  TEST_CASE("the clipboard, files, images, notifications and the terminal's configuration are out of reach") {
    check_is_dropped("\x1b]52;c;QUJD\a");
    check_is_dropped("\x1b]52;c;?\x1b\\");
    check_is_dropped("\x1b]9;a notification\a");
    check_is_dropped("\x1b]777;notify;title;text\a");
    check_is_dropped("\x1b]99;;text\x1b\\");
    check_is_dropped("\x1b]1337;File=name=eA==:AAAA\a");
    check_is_dropped("\x1b]50;font\a");
    check_is_dropped("\x1b]7;file://host/tmp\a");
    check_is_dropped("\x1b_Gf=100,t=f;L2V0Yy9wYXNzd2Q=\x1b\\");
    check_is_dropped("\x1bPq#0;2;0;0;0\x1b\\");
    check_is_dropped("\x1bPtmux;\x1b\x1b]52;c;QUJD\a\x1b\\");
    check_is_dropped("\x1b^private\x1b\\");
    check_is_dropped("\x1bXstring\x1b\\");
    check_is_dropped("\x1bktitle of screen\x1b\\");
    check_is_dropped("\x1b[5i\x1b[4i");
  }

  TEST_CASE("nothing makes the terminal type what the program chose") {
    check_is_dropped("\x05");
    check_is_dropped("\x1b[21t\x1b[20t\x1b[19t");
    check_is_dropped("\x1bP$qm\x1b\\");
    check_is_dropped("\x1bP+q544e\x1b\\");
    check_is_dropped("\x1b[1;1;1;1;1;1*y");
    check_is_dropped("\x1b[1$w\x1b[2$w");
    check_is_dropped("\x1b]10;#414141\a");
    check_is_dropped("\x1b]4;1;rgb:41/42/43;2;?\a");
    check_is_dropped("\x1b[x\x1bZ");
  }

  TEST_CASE("the window, the keyboard and the reading of bytes stay as they are") {
    check_is_dropped("\x1b[8;10;10t\x1b[3;0;0t\x1b[2t\x1b[9;1t");
    check_is_dropped("\x1b[2h\x1b[12h\x1b[?2h\x1b[?3h\x1b[?40h\x1b[?1001h\x1b[?9001h");
    check_is_dropped("\x1b%@\x1b%G\x1b G\x1b F\x1b[61\"p");
    check_is_dropped("\x1b[1;2;3;4;5T");
    CHECK(filtered("\x1b[?1;3;25h") == "\x1b[?1;25h");
  }

  TEST_CASE("C1 controls are no controls, as bytes or as characters") {
    CHECK(filtered("\x9b"
                   "31m") ==
          "\xef\xbf\xbd"
          "31m");
    CHECK(filtered("\xc2\x9d"
                   "52;c;QUJD\a") ==
          "\xef\xbf\xbd"
          "52;c;QUJD\a");
    CHECK(filtered("\xe2\x9d"
                   "52") ==
          "\xef\xbf\xbd\xef\xbf\xbd"
          "52");
    CHECK(filtered("\x90\x9c", 1) == "\xef\xbf\xbd\xef\xbf\xbd");
  }

  TEST_CASE("what is malformed, endless or cut off is dropped, and what follows is text again") {
    check_is_dropped("\x1b[1;\x18");
    check_is_dropped("\x1b]52;c;QU\x1a");
    check_is_dropped("\x1b[1 2q");
    check_is_dropped("\x1b[999999999C");
    CHECK(filtered(std::string("\x1b[") + std::string(5000, '1') + "mtext") == "text");
    CHECK(filtered(std::string("\x1b]0;") + std::string(1 << 20, 'x') + "\atext") == "text");
    CHECK(filtered("\x1bPlost\x1b[1mtext") == "\x1b[1mtext");
    CHECK(filtered("\x1b[1\nm") == "\n\x1b[1m");
    CHECK(filtered("\x1b[30000b") == "");
  }
}

}  // namespace agentctl::manager
