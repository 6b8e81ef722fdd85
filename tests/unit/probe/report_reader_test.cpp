// SPDX-License-Identifier: Apache-2.0
#include "manager/probe/report_reader.h"

#include <doctest/doctest.h>

using namespace agentctl;
using namespace agentctl::probe;

namespace {

struct Reading {
  Evidence evidence;
  std::vector<std::string> waits;
  ReportReader reader{"TAG", evidence, [this](std::string_view what) { waits.emplace_back(what); }};
};

}  // namespace

TEST_SUITE_BEGIN("report_reader");

TEST_CASE("a line in the midst of others is found, whatever stands before the tag") {
  Reading reading;
  reading.reader.pass("agentctl: warning: x\r\n\033[1mZTAG blo");
  reading.reader.pass("cked tiocsti EPERM\r\nTAG end - -\n");
  CHECK(reading.evidence.lines.size() == 1);
  CHECK(reading.evidence.lines["tiocsti"].finding == Finding::blocked);
  CHECK(reading.evidence.lines["tiocsti"].detail == "EPERM");
  CHECK(reading.evidence.ended);
}

TEST_CASE("of two lines for one item the worse counts, in either order") {
  Reading reading;
  reading.reader.pass("TAG open a x\nTAG blocked a EPERM\nTAG skip b -\nTAG open b y\nTAG blocked c -\nTAG skip c -\n");
  CHECK(reading.evidence.lines["a"].finding == Finding::open);
  CHECK(reading.evidence.lines["b"].finding == Finding::open);
  CHECK(reading.evidence.lines["c"].finding == Finding::skip);
}

TEST_CASE("lines of another run, without the form, or without an end are no report") {
  Reading reading;
  reading.reader.pass("GAT blocked a x\nTAG blocked\nTAG fine a x\nTAG blocked A_b x\nTAG blocked a x");
  CHECK(reading.evidence.lines.empty());
  CHECK_FALSE(reading.evidence.ended);
}

TEST_CASE("without a tag nothing is a report") {
  Evidence evidence;
  ReportReader reader("", evidence, {});
  reader.pass(" blocked a x\nTAG blocked a x\n");
  CHECK(evidence.lines.empty());
}

TEST_CASE("a line without end takes no memory, and does not hide the one after it") {
  Reading reading;
  reading.reader.pass("TAG blocked a ");
  for (int block = 0; block < 100; ++block) reading.reader.pass(std::string(1024, 'x'));
  reading.reader.pass("\nTAG blocked b y\n");
  CHECK(reading.evidence.lines.size() == 1);
  CHECK(reading.evidence.lines.count("b") == 1);
}

TEST_CASE("names without end are not all kept") {
  Reading reading;
  for (int number = 0; number < 5000; ++number) reading.reader.pass(cat("TAG blocked n", number, " x\n"));
  CHECK(reading.evidence.lines.size() == 1000);
}

TEST_CASE("what a terminal would obey does not pass into a detail") {
  Reading reading;
  reading.reader.pass("TAG blocked a \033]0;x\a\n");
  CHECK(reading.evidence.lines["a"].detail == "\\x1b]0;x\\x07");
}

TEST_CASE("a request to the host half is passed on, and is no item") {
  Reading reading;
  reading.reader.pass("TAG wait replace -\r\n");
  CHECK(reading.waits == std::vector<std::string>{"replace"});
  CHECK(reading.evidence.lines.empty());
}

TEST_SUITE_END();
