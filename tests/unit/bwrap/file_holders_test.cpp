// SPDX-License-Identifier: Apache-2.0
#include "bwrap/file_holders.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"
#include "bwrap/file_lease.h"
#include "tests/support/scratch_dir.h"

namespace agentctl::bwrap {
namespace {

constexpr std::uint64_t kSecond = 1'000'000;

// A file that is protected, and a process of which it is asked whether it holds it.
struct Scene {
  test::ScratchDir scratch;
  std::string directory = scratch.path() + "/hooks";
  std::string file = directory + "/config";

  Scene() {
    REQUIRE_EQ(::mkdir(directory.c_str(), 0755), 0);
    std::ofstream(file) << "text";
  }
  [[nodiscard]] static ProtectedPlace place(const std::string& path) {
    struct stat status {};
    REQUIRE_EQ(::stat(path.c_str(), &status), 0);
    return {path, {status.st_dev, status.st_ino}, S_ISDIR(status.st_mode)};
  }
  [[nodiscard]] static bool holds(pid_t pid, const std::string& path) {
    const auto proven = prove_not_held({place(path)}, {pid}, monotonic_usec() + kSecond);
    return !proven;
  }
  [[nodiscard]] bool holds(const std::string& path) const { return holds(::getpid(), path); }
  [[nodiscard]] UniqueFd open(const std::string& path, int flags) const {
    return UniqueFd(::open(path.c_str(), flags | O_CLOEXEC));
  }
};

TEST_SUITE("file_holders") {
  TEST_CASE("a process that has nothing of it open holds nothing") {
    const Scene scene;
    CHECK_FALSE(scene.holds(scene.file));
    CHECK_FALSE(scene.holds(scene.directory));
  }

  TEST_CASE("a descriptor holds a file whether it writes, reads or only leads there") {
    const Scene scene;
    for (const int flags : {O_WRONLY, O_RDONLY, O_PATH}) {
      const UniqueFd held = scene.open(scene.file, flags);
      CHECK(scene.holds(scene.file));
    }
  }

  TEST_CASE("a directory is held by itself, by what is in it and as a working directory, and not by its neighbour") {
    const Scene scene;
    for (const std::string& path : {scene.directory, scene.file}) {
      const UniqueFd held = scene.open(path, O_RDONLY);
      CHECK(scene.holds(scene.directory));
    }
    std::ofstream(scene.directory + "2") << "text";
    const UniqueFd neighbour = scene.open(scene.directory + "2", O_RDONLY);
    CHECK_FALSE(scene.holds(scene.directory));
    const pid_t pid = ::fork();
    if (pid == 0) {
      if (::chdir(scene.directory.c_str()) == 0) ::raise(SIGSTOP);
      ::_exit(0);
    }
    ::waitpid(pid, nullptr, WUNTRACED);
    CHECK(Scene::holds(pid, scene.directory));
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
  }

  TEST_CASE("what was removed from a directory is not in it") {
    const Scene scene;
    const UniqueFd held = scene.open(scene.file, O_RDWR);
    REQUIRE_EQ(::unlink(scene.file.c_str()), 0);
    CHECK_FALSE(scene.holds(scene.directory));
  }

  TEST_CASE("with descriptors on their way through a socket nobody can tell") {
    const Scene scene;
    int ends[2];
    REQUIRE_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    const UniqueFd one(ends[0]);
    const UniqueFd other(ends[1]);
    CHECK_FALSE(scene.holds(scene.file));
    {
      const UniqueFd sent = scene.open(scene.file, O_PATH);
      char byte = 0;
      iovec data{&byte, 1};
      alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
      msghdr message{};
      message.msg_iov = &data;
      message.msg_iovlen = 1;
      message.msg_control = control;
      message.msg_controllen = sizeof control;
      cmsghdr* const head = CMSG_FIRSTHDR(&message);
      head->cmsg_level = SOL_SOCKET;
      head->cmsg_type = SCM_RIGHTS;
      head->cmsg_len = CMSG_LEN(sizeof(int));
      *reinterpret_cast<int*>(CMSG_DATA(head)) = sent.get();
      REQUIRE_EQ(::sendmsg(one.get(), &message, 0), 1);
    }
    const auto proven = prove_not_held({Scene::place(scene.file)}, {::getpid()}, monotonic_usec() + kSecond);
    REQUIRE_FALSE(proven);
    CHECK(proven.error().message.find("may be held open") != std::string::npos);
  }

  TEST_CASE("a process that has ended holds nothing, and without time left nobody can tell") {
    const Scene scene;
    const pid_t pid = ::fork();
    if (pid == 0) ::_exit(0);
    siginfo_t info{};
    REQUIRE_EQ(::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT), 0);
    CHECK_FALSE(Scene::holds(pid, scene.file));
    ::waitpid(pid, nullptr, 0);
    CHECK_FALSE(Scene::holds(pid, scene.file));
    CHECK_FALSE(prove_not_held({Scene::place(scene.file)}, {::getpid()}, 0));
  }

  TEST_CASE("a write lease tells of any other descriptor, and of a mapping whose descriptor is closed") {
    const Scene scene;
    UniqueFd place = scene.open(scene.file, O_PATH);
    CHECK_EQ(find_openers(place), Openers::none);
    for (const int flags : {O_WRONLY, O_RDONLY}) {
      const UniqueFd held = scene.open(scene.file, flags);
      CHECK_EQ(find_openers(place), Openers::some);
    }
    CHECK_EQ(find_openers(place), Openers::none);
    UniqueFd opened = scene.open(scene.file, O_RDWR);
    void* const mapped = ::mmap(nullptr, 4, PROT_READ | PROT_WRITE, MAP_SHARED, opened.get(), 0);
    REQUIRE_NE(mapped, MAP_FAILED);
    opened.reset();
    CHECK_EQ(find_openers(place), Openers::some);
    place.reset();
    CHECK_FALSE(scene.holds(scene.file));
    CHECK_FALSE(prove_not_mapped(Scene::place(scene.file), {::getpid()}));
    ::munmap(mapped, 4);
    CHECK(prove_not_mapped(Scene::place(scene.file), {::getpid()}));
    CHECK_EQ(find_openers(scene.open(scene.file, O_PATH)), Openers::none);
  }

  TEST_CASE("a line of maps is of a file by its inode and its path, and only when it is shared") {
    const ProtectedPlace place{"/p/a file", {1, 77}, false};
    CHECK(is_shared_mapping("7f0-7f1 rw-s 00000000 08:01 77                         /p/a file", place));
    CHECK_FALSE(is_shared_mapping("7f0-7f1 rw-p 00000000 08:01 77                         /p/a file", place));
    CHECK_FALSE(is_shared_mapping("7f0-7f1 rw-s 00000000 08:01 78                         /p/a file", place));
    CHECK_FALSE(is_shared_mapping("7f0-7f1 rw-s 00000000 08:01 77                         /p/a", place));
    CHECK_FALSE(is_shared_mapping("7f0-7f1 rw-s 00000000 00:00 0", place));
    CHECK_FALSE(is_shared_mapping("", place));
  }

  TEST_CASE("a socket with descriptors in its queue says so") {
    CHECK(has_waiting_descriptors("pos:\t0\nflags:\t02\nscm_fds:\t2\n"));
    CHECK_FALSE(has_waiting_descriptors("pos:\t0\nflags:\t02\nscm_fds:\t0\n"));
    CHECK_FALSE(has_waiting_descriptors("pos:\t0\n"));
  }
}

}  // namespace
}  // namespace agentctl::bwrap
