// SPDX-License-Identifier: Apache-2.0
#include "manager/terminal_rules.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/text.h"
#include "manager/sequence_numbers.h"

namespace agentctl::manager {
namespace {

constexpr char kAnswerback = 0x05;
constexpr int kMostRepeats = 512;  // CSI b: each repeat is work for who draws it
constexpr std::size_t kLongestTitle = 256;
constexpr std::size_t kLongestLink = 2083;

// Leader of the parameters, intermediates and final byte of what passes with any numbers.
constexpr std::string_view kPlain = "@ABCDEFGHIJKLMPSXZ`adefgmrsu";
constexpr std::array<std::string_view, 22> kMarked = {"?J", "?K",  "?c", "?u", "?m", "?W", ">u", ">m",
                                                      ">c", ">q",  ">p", ">n", "<u", "=u", "=c", " q",
                                                      "!p", "\"q", "#p", "#q", "#{", "#}"};
constexpr std::array<int, 39> kPrivateModes = {1,    4,    5,    6,    7,    8,    9,    12,   25,   45,
                                               47,   66,   67,   69,   1000, 1002, 1003, 1004, 1005, 1006,
                                               1007, 1010, 1011, 1015, 1016, 1034, 1035, 1036, 1039, 1042,
                                               1045, 1047, 1048, 1049, 2004, 2026, 2027, 2031, 2048};

bool contains(std::string_view set, char wanted) { return set.find(wanted) != std::string_view::npos; }

bool is_window_question(const std::vector<int>& numbers) {
  if (numbers.empty()) return false;
  const int what = numbers[0];
  // Sizes; and the title put on the terminal's own stack and back.
  return what == 14 || what == 16 || what == 18 || what == 22 || what == 23;
}

bool are_digits(std::string_view text, std::string_view also = "") {
  return std::all_of(text.begin(), text.end(),
                     [&](char byte) { return (byte >= '0' && byte <= '9') || contains(also, byte); });
}

// "1;?;2;?": colours that are asked for. What is set could be asked for afterwards.
bool asks_for_colours(std::string_view text) {
  const std::vector<std::string> parts = split(text, ';');
  if (parts.size() % 2 != 0) return false;
  for (std::size_t at = 0; at < parts.size(); at += 2) {
    if (!are_digits(parts[at]) || parts[at].size() > 3 || parts[at + 1] != "?") return false;
  }
  return true;
}

bool is_web_link(std::string_view text) {
  const std::size_t cut = text.find(';');
  if (cut == std::string_view::npos || text.size() > kLongestLink || printable(text) != text) return false;
  const std::string_view target = text.substr(cut + 1);
  return target.empty() || target.starts_with("https://") || target.starts_with("http://");
}

}  // namespace

bool may_pass_control(char control) { return control != kAnswerback; }

bool may_pass_escape(std::string_view intermediates, char final) {
  if (intermediates.empty()) return contains("78=>DEHMNOcno|}~", final);
  if (intermediates.size() > 1) return false;
  if (intermediates == "#") return contains("34568", final);
  // A character set that has been given out: after any other final byte terminals disagree on what has begun.
  return contains("()*+-./", intermediates[0]) && contains("0AB<>CEHKQRYZ4567=", final);
}

bool may_pass_sequence(const ControlSequence& sequence) {
  const std::string_view parameters = sequence.parameters;
  const bool has_leader = !parameters.empty() && parameters[0] >= '<' && parameters[0] <= '?';
  const auto numbers = sequence_numbers(has_leader ? parameters.substr(1) : parameters);
  if (!numbers) return false;
  if (has_leader || !sequence.intermediates.empty()) {
    if (parameters == "?6" || parameters == "?996") return sequence.intermediates.empty() && sequence.final == 'n';
    std::string mark(parameters.substr(0, has_leader ? 1 : 0));
    mark += sequence.intermediates;
    mark += sequence.final;
    // Whether a mode is set: the answer repeats the number.
    if (mark == "$p" || mark == "?$p") return numbers->size() == 1 && may_pass_mode((*numbers)[0], has_leader);
    return std::find(kMarked.begin(), kMarked.end(), mark) != kMarked.end();
  }
  const int first = numbers->empty() ? 0 : (*numbers)[0];
  switch (sequence.final) {
    case 'n':
      return first == 5 || first == 6;
    case 'c':
      return first == 0;
    case 'b':
      return first <= kMostRepeats;
    case 'T':
      return numbers->size() <= 1;  // with five: highlight tracking, during which the terminal waits for the program
    case 't':
      return is_window_question(*numbers);
    default:
      return contains(kPlain, sequence.final);
  }
}

bool may_pass_mode(int mode, bool is_private) {
  if (!is_private) return mode == 4;
  return std::find(kPrivateModes.begin(), kPrivateModes.end(), mode) != kPrivateModes.end();
}

std::string passable_osc(std::string_view body) {
  const std::size_t cut = std::min(body.find(';'), body.size());
  const std::string_view number = body.substr(0, cut);
  const std::string_view text = body.substr(std::min(cut + 1, body.size()));
  const auto pass_if = [&](bool may) { return may ? std::string(body) : std::string(); };
  if (number == "0" || number == "1" || number == "2") {
    return cat(number, ";", printable(text.substr(0, kLongestTitle)));
  }
  if (number == "4") return pass_if(asks_for_colours(text));
  if (number == "8") return pass_if(is_web_link(text));
  if (number == "9") return pass_if(text.starts_with("4;") && are_digits(text, ";"));  // a progress bar
  if (number == "10" || number == "11" || number == "12" || number == "17" || number == "19") {
    return pass_if(text == "?");
  }
  if (number == "104") return pass_if(are_digits(text, ";"));
  const bool resets_colour = number.size() == 3 && number.starts_with("11") && are_digits(number);
  return pass_if(resets_colour && text.empty());
}

}  // namespace agentctl::manager
