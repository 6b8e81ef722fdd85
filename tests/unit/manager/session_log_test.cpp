// SPDX-License-Identifier: Apache-2.0
#include "manager/session_log.h"

#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "manager/log_reader.h"
#include "tests/support/scratch_dir.h"

namespace agentctl::manager {
namespace {

constexpr std::uint64_t kSegment = 1000;

struct Log {
  test::ScratchDir scratch;
  std::string state = scratch.path() + "/state";
  std::vector<std::string> troubles;
  SessionLog log{state, "1a2b3c4d", [this](const std::string& trouble) { troubles.push_back(trouble); },
                 LogBounds{kSegment, 0}};
  std::string directory = log_directory(state, "1a2b3c4d");

  std::string read_all(LogReader& reader, int* gaps = nullptr) {
    std::string text;
    while (true) {
      const auto part = reader.read();
      REQUIRE(part.has_value());
      if (part->bytes.empty()) return text;
      if (part->follows_a_gap && gaps != nullptr) ++*gaps;
      text += part->bytes;
    }
  }
  std::vector<std::string> segments() {
    std::vector<std::string> names;
    if (!std::filesystem::exists(directory)) return names;
    for (const auto& entry : std::filesystem::directory_iterator(directory)) names.push_back(entry.path().filename());
    std::sort(names.begin(), names.end());
    return names;
  }
};

}  // namespace

TEST_SUITE("session log") {
  TEST_CASE("nothing is made before there is something to write, and what is made is the user's alone") {
    Log log;
    CHECK_FALSE(std::filesystem::exists(log.state));
    log.log.write("hello");
    struct stat status {};
    REQUIRE(::stat((log.directory + "/0").c_str(), &status) == 0);
    CHECK((status.st_mode & 0777) == 0600);
    REQUIRE(::stat(log.directory.c_str(), &status) == 0);
    CHECK((status.st_mode & 0777) == 0700);
  }

  TEST_CASE("a reader gets what was written, and then what is added") {
    Log log;
    LogReader reader(log.directory);
    CHECK(log.read_all(reader).empty());
    log.log.write("one");
    CHECK(log.read_all(reader) == "one");
    CHECK(log.read_all(reader).empty());
    log.log.write("two");
    CHECK(log.read_all(reader) == "two");
  }

  TEST_CASE("two segments are kept, and a later reader learns that something is missing") {
    Log log;
    std::string written;
    for (int at = 0; at < 700; ++at) {
      const std::string line = std::to_string(at) + "\n";
      written += line;
      log.log.write(line);
    }
    CHECK(log.segments().size() == 2);
    LogReader reader(log.directory);
    int gaps = 0;
    const std::string kept = log.read_all(reader, &gaps);
    CHECK(gaps == 1);
    CHECK(kept.size() <= 2 * kSegment);
    CHECK(kept.size() > kSegment);
    CHECK(written.ends_with(kept));
  }

  TEST_CASE("a reader that keeps up misses nothing over many segments") {
    Log log;
    LogReader reader(log.directory);
    std::string written;
    std::string read;
    int gaps = 0;
    for (int at = 0; at < 100; ++at) {
      const std::string block(173, static_cast<char>('a' + at % 26));
      written += block;
      log.log.write(block);
      read += log.read_all(reader, &gaps);
    }
    CHECK(read == written);
    CHECK(gaps == 0);
  }

  TEST_CASE("a reader that falls behind learns of the gap and goes on") {
    Log log;
    LogReader reader(log.directory);
    log.log.write("begin");
    CHECK(log.read_all(reader) == "begin");
    for (int at = 0; at < 50; ++at) log.log.write(std::string(100, 'x'));
    int gaps = 0;
    CHECK(log.read_all(reader, &gaps).size() > kSegment);
    CHECK(gaps == 1);
  }

  TEST_CASE("a disk that takes no more is told once, marked in the log, and written again when it can be") {
    Log log;
    log.log.write("before\n");
    rlimit before{};
    REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
    rlimit none = before;
    none.rlim_cur = 10;
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &none) == 0);
    for (int at = 0; at < 5; ++at) log.log.write("lost lost\n");
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &before) == 0);
    REQUIRE(log.troubles.size() == 1);
    CHECK(log.troubles[0].find("output is missing from the log: ") == 0);
    CHECK(log.troubles[0].find("File too large") != std::string::npos);
    LogReader reader(log.directory);
    log.log.write("after\n");
    const std::string text = log.read_all(reader);
    CHECK(text.starts_with("before\nlos"));
    CHECK(text.find("[… 47 bytes of output lost: ") != std::string::npos);
    CHECK(text.ends_with("after\n"));
    CHECK(log.troubles.size() == 1);
  }

  TEST_CASE("a log is removed with its directory, and one that is not there is no fault") {
    Log log;
    log.log.write("x");
    remove_session_log(log.state, "1a2b3c4d");
    CHECK_FALSE(std::filesystem::exists(log.directory));
    remove_session_log(log.state, "1a2b3c4d");
  }
}

}  // namespace agentctl::manager
