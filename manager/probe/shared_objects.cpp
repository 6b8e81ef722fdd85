// SPDX-License-Identifier: Apache-2.0
#include "manager/probe/shared_objects.h"

#include <fcntl.h>
#include <linux/keyctl.h>
#include <mqueue.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/file.h"
#include "base/text.h"
#include "manager/probe/secret.h"

namespace agentctl::probe {
namespace {

constexpr int kSessionKeyring = -3;  // KEY_SPEC_SESSION_KEYRING
constexpr std::size_t kMessageBytes = 16;

class Key : public Canary {
 public:
  Key(std::string name, std::string secret, long serial)
      : name_(std::move(name)), secret_(std::move(secret)), serial_(serial) {}
  ~Key() override {
    reset();
    ::syscall(SYS_keyctl, KEYCTL_REVOKE, serial_);
    ::syscall(SYS_keyctl, KEYCTL_UNLINK, serial_, kSessionKeyring);
  }

  void describe(Planted& planted) const override {
    planted.tell("key", name_);
    planted.secrets["key-read"] = {secret_};
  }
  void reset() override {
    const long planted = find_planted();
    if (planted > 0) ::syscall(SYS_keyctl, KEYCTL_UNLINK, planted, kSessionKeyring);
  }
  void look(Evidence& evidence) override {
    if (find_planted() > 0) evidence.effects.insert("key-plant");
  }

 private:
  [[nodiscard]] long find_planted() const {
    return ::syscall(SYS_keyctl, KEYCTL_SEARCH, kSessionKeyring, "user", cat(name_, "-planted").c_str(), 0);
  }

  std::string name_;
  std::string secret_;
  long serial_;
};

class SysvMemory : public Canary {
 public:
  SysvMemory(key_t key, int segment, std::string secret) : key_(key), segment_(segment), secret_(std::move(secret)) {}
  ~SysvMemory() override { ::shmctl(segment_, IPC_RMID, nullptr); }
  void describe(Planted& planted) const override {
    planted.tell("sysv-memory", std::to_string(key_));
    planted.secrets["sysv-memory"] = {secret_};
  }
  void reset() override {}
  void look(Evidence&) override {}

 private:
  key_t key_;
  int segment_;
  std::string secret_;
};

class SysvQueue : public Canary {
 public:
  SysvQueue(key_t key, int queue) : key_(key), queue_(queue) {}
  ~SysvQueue() override { ::msgctl(queue_, IPC_RMID, nullptr); }
  void describe(Planted& planted) const override { planted.tell("sysv-queue", std::to_string(key_)); }
  void reset() override { (void)take(); }
  void look(Evidence& evidence) override {
    if (take()) evidence.effects.insert("sysv-queue");
  }

 private:
  [[nodiscard]] bool take() const {
    struct {
      long type;
      char text[kMessageBytes];
    } message{};
    bool has_come = false;
    while (::msgrcv(queue_, &message, sizeof message.text, 0, IPC_NOWAIT | MSG_NOERROR) >= 0) has_come = true;
    return has_come;
  }

  key_t key_;
  int queue_;
};

class PosixMemory : public Canary {
 public:
  PosixMemory(std::string name, std::string secret) : name_(std::move(name)), secret_(std::move(secret)) {}
  ~PosixMemory() override { ::shm_unlink(name_.c_str()); }
  void describe(Planted& planted) const override {
    planted.tell("posix-memory", name_);
    planted.secrets["posix-memory"] = {secret_};
  }
  void reset() override {}
  void look(Evidence&) override {}

 private:
  std::string name_;
  std::string secret_;
};

class PosixQueue : public Canary {
 public:
  PosixQueue(std::string name, mqd_t queue) : name_(std::move(name)), queue_(queue) {}
  ~PosixQueue() override {
    ::mq_close(queue_);
    ::mq_unlink(name_.c_str());
  }
  void describe(Planted& planted) const override { planted.tell("posix-queue", name_); }
  void reset() override { (void)take(); }
  void look(Evidence& evidence) override {
    if (take()) evidence.effects.insert("posix-queue");
  }

 private:
  [[nodiscard]] bool take() const {
    char message[kMessageBytes];
    bool has_come = false;
    while (::mq_receive(queue_, message, sizeof message, nullptr) >= 0) has_come = true;
    return has_come;
  }

  std::string name_;
  mqd_t queue_;
};

}  // namespace

Result<std::unique_ptr<Canary>> make_key() {
  const std::string name = cat("agentctl-probe-", AGENTCTL_TRY(random_hex(16)));
  const std::string secret = AGENTCTL_TRY(make_secret());
  if (::syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, nullptr) < 0)
    return errno_error("cannot make a session keyring");
  const long serial = ::syscall(SYS_add_key, "user", name.c_str(), secret.data(), secret.size(), kSessionKeyring);
  if (serial < 0) return errno_error("cannot make a key");
  return std::unique_ptr<Canary>(std::make_unique<Key>(name, secret, serial));
}

Result<std::unique_ptr<Canary>> make_sysv_memory(key_t key) {
  const std::string secret = AGENTCTL_TRY(make_secret());
  const int segment = ::shmget(key, 4096, IPC_CREAT | IPC_EXCL | 0600);
  if (segment < 0) return errno_error("cannot make a shared memory segment");
  std::unique_ptr<Canary> canary = std::make_unique<SysvMemory>(key, segment, secret);
  void* const memory = ::shmat(segment, nullptr, 0);
  if (memory == reinterpret_cast<void*>(-1)) return errno_error("cannot use a shared memory segment");
  std::memcpy(memory, secret.data(), secret.size());
  ::shmdt(memory);
  return canary;
}

Result<std::unique_ptr<Canary>> make_sysv_queue(key_t key) {
  const int queue = ::msgget(key, IPC_CREAT | IPC_EXCL | 0600);
  if (queue < 0) return errno_error("cannot make a message queue");
  return std::unique_ptr<Canary>(std::make_unique<SysvQueue>(key, queue));
}

Result<std::unique_ptr<Canary>> make_posix_memory(const std::string& name) {
  const std::string secret = AGENTCTL_TRY(make_secret());
  const UniqueFd fd(::shm_open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!fd.valid()) return errno_error("cannot make POSIX shared memory");
  std::unique_ptr<Canary> canary = std::make_unique<PosixMemory>(name, secret);
  AGENTCTL_TRY_VOID(write_all(fd.get(), secret));
  return canary;
}

Result<std::unique_ptr<Canary>> make_posix_queue(const std::string& name) {
  mq_attr attributes{};
  attributes.mq_maxmsg = 4;
  attributes.mq_msgsize = kMessageBytes;
  const mqd_t queue = ::mq_open(name.c_str(), O_RDONLY | O_CREAT | O_EXCL | O_NONBLOCK | O_CLOEXEC, 0600, &attributes);
  if (queue == static_cast<mqd_t>(-1)) return errno_error("cannot make a POSIX message queue");
  return std::unique_ptr<Canary>(std::make_unique<PosixQueue>(name, queue));
}

// Never IPC_PRIVATE, which is 0.
Result<key_t> random_key() {
  const std::string digits = AGENTCTL_TRY(random_hex(7));
  return static_cast<key_t>(std::strtol(digits.c_str(), nullptr, 16)) | 1;
}

}  // namespace agentctl::probe
