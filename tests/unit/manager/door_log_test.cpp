// SPDX-License-Identifier: Apache-2.0
#include "manager/door_log.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include "base/file.h"
#include "base/text.h"
#include "manager/door_log_reader.h"
#include "manager/session_log.h"
#include "tests/support/scratch_dir.h"

namespace agentctl::manager {
namespace {

constexpr const char* kId = "1a2b3c4d";

bool exists(const std::string& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0;
}

// What a door does with its log.
class Writer {
 public:
  explicit Writer(int file) : file_(file) {}
  void add(const std::string& line) {
    REQUIRE(::pwrite(file_, line.data(), line.size(), static_cast<off_t>(size_)) == static_cast<ssize_t>(line.size()));
    size_ += line.size();
  }
  // Its own lines from `first` on stay.
  void drop_all_but(const std::string& kept) {
    size_ = 0;
    add(kept);
    REQUIRE(::ftruncate(file_, static_cast<off_t>(size_)) == 0);
  }

 private:
  int file_;
  std::size_t size_ = 0;
};

std::string numbered(int first, int last) {
  std::string text;
  for (int number = first; number <= last; ++number) text += cat("{\"n\":", number, "}\n");
  return text;
}

std::string read_all(DoorLogReader& reader) {
  std::string text;
  while (true) {
    const auto part = reader.read();
    REQUIRE(part.has_value());
    if (part->lines.empty()) return text;
    if (part->follows_a_gap) text += "gap\n";
    for (const std::string& line : part->lines) text += line + "\n";
  }
}

struct Kept {
  test::ScratchDir dir;
  DoorLog log = DoorLog::create(dir.path(), kId).value();
  UniqueFd file = log.copy().value();
  Writer writer{file.get()};
  std::string path = door_log_path(dir.path(), kId);
};

}  // namespace

TEST_SUITE("door_log") {
  TEST_CASE("a start that comes to nothing leaves nothing") {
    const test::ScratchDir dir;
    {
      const DoorLog log = DoorLog::create(dir.path(), kId).value();
      const UniqueFd file = log.copy().value();
      Writer(file.get()).add("{}\n");
      CHECK_FALSE(exists(door_log_path(dir.path(), kId)));
    }
    CHECK_FALSE(exists(log_directory(dir.path(), kId)));
  }

  TEST_CASE(
      "of a session that runs it is there with what was written before, for the user alone, and goes with its logs") {
    Kept kept;
    kept.writer.add("{\"n\":1}\n");
    REQUIRE(kept.log.keep().has_value());
    kept.writer.add("{\"n\":2}\n");
    CHECK(read_file(kept.path).value() == numbered(1, 2));
    struct stat status {};
    REQUIRE(::lstat(kept.path.c_str(), &status) == 0);
    CHECK((status.st_mode & 07777) == 0600);
    CHECK(::fcntl(kept.file.get(), F_GETFD) == FD_CLOEXEC);
    remove_session_log(kept.dir.path(), kId);
    CHECK_FALSE(exists(log_directory(kept.dir.path(), kId)));
  }

  TEST_CASE("a directory that somebody else may write holds no log") {
    const test::ScratchDir dir;
    dir.write("logs/x", "");
    REQUIRE(::chmod((dir.path() + "/logs").c_str(), 0777) == 0);
    CHECK_FALSE(DoorLog::create(dir.path(), kId).has_value());
  }
}

TEST_SUITE("door_log_reader") {
  TEST_CASE("a log that is not there has no lines, and is read once it is") {
    Kept kept;
    DoorLogReader reader(kept.path);
    CHECK(read_all(reader).empty());
    CHECK_FALSE(reader.is_there());
    REQUIRE(kept.log.keep().has_value());
    kept.writer.add(numbered(1, 3));
    CHECK(read_all(reader) == numbered(1, 3));
    CHECK(read_all(reader).empty());
  }

  TEST_CASE("what is added is read on, and half a line only once it is whole") {
    Kept kept;
    REQUIRE(kept.log.keep().has_value());
    DoorLogReader reader(kept.path);
    kept.writer.add("{\"n\":1}\n{\"n\"");
    CHECK(read_all(reader) == numbered(1, 1));
    kept.writer.add(":2}\n");
    CHECK(read_all(reader) == numbered(2, 2));
  }

  TEST_CASE("more than is read at once comes whole and in order") {
    Kept kept;
    REQUIRE(kept.log.keep().has_value());
    kept.writer.add(numbered(1, 30000));
    DoorLogReader reader(kept.path);
    CHECK(read_all(reader) == numbered(1, 30000));
  }

  TEST_CASE("when the older half goes nothing is told twice and nothing is missing") {
    Kept kept;
    REQUIRE(kept.log.keep().has_value());
    kept.writer.add(numbered(1, 20000));
    DoorLogReader reader(kept.path);
    CHECK(read_all(reader) == numbered(1, 20000));
    kept.writer.drop_all_but(numbered(10001, 20000));
    CHECK(read_all(reader).empty());
    kept.writer.add(numbered(20001, 20002));
    CHECK(read_all(reader) == numbered(20001, 20002));
    kept.writer.drop_all_but(numbered(15000, 20002));
    kept.writer.add(numbered(20003, 40000));  // past where the reader was
    CHECK(read_all(reader) == numbered(20003, 40000));
  }

  TEST_CASE("what was dropped unread is a gap") {
    Kept kept;
    REQUIRE(kept.log.keep().has_value());
    kept.writer.add(numbered(1, 10));
    DoorLogReader reader(kept.path);
    CHECK(read_all(reader) == numbered(1, 10));
    kept.writer.drop_all_but(numbered(500, 505));
    CHECK(read_all(reader) == "gap\n" + numbered(500, 505));
  }

  TEST_CASE("a link in its place is not followed") {
    const test::ScratchDir dir;
    dir.write("secret", "{}\n");
    REQUIRE(::symlink((dir.path() + "/secret").c_str(), (dir.path() + "/net").c_str()) == 0);
    DoorLogReader reader(dir.path() + "/net");
    CHECK_FALSE(reader.read().has_value());
  }
}

}  // namespace agentctl::manager
