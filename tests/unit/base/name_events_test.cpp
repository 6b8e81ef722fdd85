// SPDX-License-Identifier: Apache-2.0
#include "base/name_events.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/fanotify.h>
#include <sys/inotify.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

#include <doctest/doctest.h>

#include "base/file.h"
#include "tests/support/scratch_dir.h"

using namespace agentctl;

namespace {

std::string inotify_bytes(int watch, std::uint32_t mask, std::string name) {
  inotify_event head{};
  head.wd = watch;
  head.mask = mask;
  if (!name.empty()) name.resize((name.size() / 16 + 1) * 16, '\0');  // as the kernel pads it
  head.len = static_cast<std::uint32_t>(name.size());
  std::string bytes(sizeof head, '\0');
  std::memcpy(bytes.data(), &head, sizeof head);
  return bytes + name;
}

constexpr __kernel_fsid_t kFileSystem = {{1, 2}};

// One event of a directory whose handle is `handle`, as the kernel lays it out: head, record, handle, name.
std::string fanotify_bytes(std::uint64_t mask, const std::string& handle, std::string name,
                           std::uint8_t type = FAN_EVENT_INFO_TYPE_DFID_NAME) {
  file_handle held{};
  held.handle_bytes = static_cast<unsigned>(handle.size());
  fanotify_event_info_fid record{};
  name += '\0';
  record.hdr.info_type = type;
  record.hdr.len = static_cast<std::uint16_t>(sizeof record + sizeof held + handle.size() + name.size());
  record.fsid = kFileSystem;
  fanotify_event_metadata head{};
  head.event_len = static_cast<std::uint32_t>(sizeof head + record.hdr.len);
  head.vers = FANOTIFY_METADATA_VERSION;
  head.metadata_len = sizeof head;
  head.mask = mask;
  std::string bytes(sizeof head + sizeof record + sizeof held, '\0');
  std::memcpy(bytes.data(), &head, sizeof head);
  std::memcpy(bytes.data() + sizeof head, &record, sizeof record);
  std::memcpy(bytes.data() + sizeof head + sizeof record, &held, sizeof held);
  return bytes + handle + name;
}

}  // namespace

TEST_CASE("inotify's bytes give one event each, names without their padding") {
  const std::string bytes = inotify_bytes(1, IN_CREATE, ".env") + inotify_bytes(2, IN_MOVED_TO, "a name of seventeen") +
                            inotify_bytes(-1, IN_Q_OVERFLOW, "");
  const auto events = parse_inotify(bytes);
  REQUIRE(events.size() == 3);
  CHECK(events[0].watch == 1);
  CHECK(events[0].name == ".env");
  CHECK(events[1].name == "a name of seventeen");
  CHECK_FALSE(events[1].overflow);
  CHECK(events[2].overflow);
  CHECK(events[2].name.empty());
}

TEST_CASE("bytes that end within an event give no more than they hold") {
  const std::string bytes = inotify_bytes(1, IN_CREATE, ".env");
  CHECK(parse_inotify(bytes.substr(0, 7)).empty());
  const auto events = parse_inotify(bytes.substr(0, sizeof(inotify_event) + 2));
  REQUIRE(events.size() == 1);
  CHECK(events[0].name == ".e");
}

TEST_CASE("fanotify's bytes give one event each, with the directory's handle and the name") {
  const std::string bytes = fanotify_bytes(FAN_CREATE, "first", ".env") +
                            fanotify_bytes(FAN_MOVED_TO | FAN_ONDIR, "second", "a directory") +
                            fanotify_bytes(FAN_DELETE_SELF | FAN_ONDIR, "second", ".");
  const auto events = parse_fanotify(bytes);
  REQUIRE(events.size() == 3);
  CHECK(events[0].event.name == ".env");
  CHECK_FALSE(events[0].event.directory);
  CHECK(events[1].event.name == "a directory");
  CHECK(events[1].event.directory);
  CHECK(events[0].handle != events[1].handle);
  CHECK(events[2].handle == events[1].handle);
  CHECK(events[2].event.removed);
  CHECK(events[2].event.name.empty());
}

TEST_CASE("fanotify's bytes that end within an event, or name no directory, give no more than they hold") {
  const std::string bytes = fanotify_bytes(FAN_CREATE, "handle", ".env");
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    CAPTURE(size);
    CHECK(parse_fanotify(bytes.substr(0, size)).empty());
  }
  const auto other = parse_fanotify(fanotify_bytes(FAN_CREATE, "handle", ".env", FAN_EVENT_INFO_TYPE_FID));
  REQUIRE(other.size() == 1);
  CHECK(other[0].handle.empty());
  CHECK(other[0].event.name.empty());
}

TEST_CASE("an overflow is told by either, without a name") {
  const auto inotify = parse_inotify(inotify_bytes(-1, IN_Q_OVERFLOW, ""));
  REQUIRE(inotify.size() == 1);
  CHECK(inotify[0].overflow);
  fanotify_event_metadata head{};
  head.event_len = sizeof head;
  head.vers = FANOTIFY_METADATA_VERSION;
  head.metadata_len = sizeof head;
  head.mask = FAN_Q_OVERFLOW;
  const auto fanotify = parse_fanotify({reinterpret_cast<const char*>(&head), sizeof head});
  REQUIRE(fanotify.size() == 1);
  CHECK(fanotify[0].event.overflow);
}

// In a user namespace of its own, whose own limits bind nobody else.
TEST_CASE("where the user's inotify instances are used up fanotify takes their place, and then it is refused") {
  enum Verdict { kSound = 0, kNoNamespace, kNoFanotify, kBlind, kNotRefused, kNoRemedy };
  const test::ScratchDir scratch;
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const int held = ::open(scratch.path().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
    const auto limit = [](const char* name) {
      const UniqueFd file(::open(name, O_WRONLY | O_CLOEXEC));
      return file.valid() && ::write(file.get(), "0", 1) == 1;
    };
    if (::unshare(CLONE_NEWUSER) != 0 || !limit("/proc/sys/user/max_inotify_instances")) ::_exit(kNoNamespace);
    auto events = NameEvents::open();
    if (!events) ::_exit(kNoFanotify);
    const auto watch = events->add("scratch", held);
    const UniqueFd made(::openat(AT_FDCWD, (scratch.path() + "/x").c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
    char bytes[512];
    const ssize_t count = ::read(events->fd(), bytes, sizeof bytes);
    if (!watch || count <= 0) ::_exit(kBlind);
    const auto told = events->parse({bytes, static_cast<std::size_t>(count)});
    if (told.size() != 1 || told[0].watch != *watch || told[0].name != "x") ::_exit(kBlind);
    if (!limit("/proc/sys/user/max_fanotify_groups")) ::_exit(kNoNamespace);
    const auto refused = NameEvents::open();
    if (refused) ::_exit(kNotRefused);
    ::_exit(refused.error().hint.find("max_user_instances") == std::string::npos ? kNoRemedy : kSound);
  }
  int status = -1;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == kSound);
}
