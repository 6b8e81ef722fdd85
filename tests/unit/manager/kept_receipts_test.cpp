// SPDX-License-Identifier: Apache-2.0
#include "manager/kept_receipts.h"

#include <time.h>

#include <cstdlib>

#include <doctest/doctest.h>

#include "base/text.h"

namespace agentctl::manager {
namespace {

KeptReceipt receipt(const char* id, const char* name, int ended) {
  const std::string text = cat(R"({"id":")", id, R"(","name":")", name, R"(","ended_usec":)", ended, "}");
  return {text, *parse_json(text)};
}

std::string found(const std::string& name) {
  const std::vector<KeptReceipt> all = {receipt("00000001", "build-x", 10), receipt("00000002", "build-x", 30),
                                        receipt("00000003", "build-x", 20), receipt("00000004", "build", 5),
                                        receipt("00000005", "test-a", 1),   receipt("00000006", "test-b", 2)};
  const auto result = find_receipt(all, name);
  return result ? (*result)->value["id"].text : result.error().message;
}

}  // namespace

TEST_SUITE("kept receipts") {
  TEST_CASE("a name gives its last session, an id the one of that id, a beginning the only name that it fits") {
    CHECK(found("build-x") == "00000002");
    CHECK(found("build") == "00000004");
    CHECK(found("build-") == "00000002");
    CHECK(found("00000003") == "00000003");
  }

  TEST_CASE("what fits several names or none is refused") {
    CHECK(found("test") == "'test' is ambiguous");
    CHECK(found("no\nne") == "no receipt of a session 'no\\x0ane' is kept");
    CHECK(found("").starts_with("no receipt"));
  }

  TEST_CASE("the table and the array hold all, the one that ended last first") {
    ::setenv("TZ", "UTC", 1);
    ::tzset();
    const auto kept = [](const char* text) { return KeptReceipt{cat(text, "\n"), *parse_json(text)}; };
    const std::vector<KeptReceipt> all = {
        kept(R"({"id":"1","name":"a\u001b","started_usec":1700000000000000,"ended_usec":1700000000250000,)"
             R"("cause":"exited","exit_status":3,"usage":{"memory_peak":1048576},"project":"/p"})"),
        kept(R"({"id":"2","name":"b","started_usec":1700000000000000,"ended_usec":1700000090000000,)"
             R"("cause":"parent-died","exit_status":143,"usage":{"memory_peak":null},"project":"/q"})"),
        kept(R"({"id":"3","name":"c","started_usec":1700000000000000,"ended_usec":1700000005000000,)"
             R"("cause":"exited","exit_status":137,"killed_by_memory_limit":true,"project":"/q"})"),
        kept(R"({"id":"4","name":"d","ended_usec":4,"cause":"exited","exit_status":130})")};
    CHECK_EQ(receipt_table(all),
             "NAME   ID  ENDED                      HOW            AFTER     MEMORY  PROJECT\n"
             "b      2   2023-11-14 22:14:50 +0000  parent died    1min 30s  -       /q\n"
             "c      3   2023-11-14 22:13:25 +0000  memory limit   5s        -       /q\n"
             "a\\x1b  1   2023-11-14 22:13:20 +0000  exited with 3  250ms     1.0M    /p\n"
             "d      4   1970-01-01 00:00:00 +0000  SIGINT         0         -       \n");
    const auto array = parse_json(receipt_array(all));
    REQUIRE(array);
    REQUIRE_EQ(array->items.size(), 4);
    CHECK(array->items[0]["id"].text == "2");
    CHECK(array->items[3]["id"].text == "4");
    CHECK_EQ(receipt_array({}), "[]\n");
  }

  TEST_CASE("the details show what the host may run, and what was not looked at") {
    const auto value = parse_json(
        R"({"id":"1","name":"n","started_usec":1700000000000000,"ended_usec":1700000090000000,"cause":"exited",)"
        R"("new_executables":["/p/x\u001b"],"new_executable_count":12,"dropped":["~/d/"],"dropped_count":1,)"
        R"("summary":"n: exited","command":["sh","-c","a b"],"project":"/p","profile":"shell",)"
        R"("warnings":["w"],"problems":[],"exec_surface":[{"path":"/p/.git/config","kind":"git configuration",)"
        R"("run_by":"git","change":"changed","detail":"alias.st"}],"exec_surface_count":3,"exec_surface_gaps":["g"]})");
    REQUIRE(value);
    ::setenv("TZ", "UTC", 1);
    ::tzset();
    CHECK(receipt_details(*value) ==
          "n: exited\nid         1\ncommand    sh -c 'a b'\nprofile    shell\nproject    /p\n"
          "began      2023-11-14 22:13:20 +0000\nended      2023-11-14 22:14:50 +0000\nwarning    w\n"
          "changed meanwhile, and the host may run it\n"
          "  changed  /p/.git/config  (git configuration: alias.st; run by git)\n  and 2 more\n"
          "new executable files: 12 files\n  /p/x\\x1b\ndropped with the private home: 1 file\n  ~/d/\n"
          "not seen   g\n");
  }

  TEST_CASE("the details of a session with an allowlist have both counts, and others have none") {
    const auto details = [](const char* mode) {
      return receipt_details(
          *parse_json(std::string(R"({"network":{"mode":")") + mode + R"(","allowed":12,"denied":3}})"));
    };
    CHECK(details("allowlist").find("\nnetwork    allowlist: 12 connections let through, 3 denied\n") !=
          std::string::npos);
    CHECK(details("host").find("network ") == std::string::npos);
  }
}

}  // namespace agentctl::manager
