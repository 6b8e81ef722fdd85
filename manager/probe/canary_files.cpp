// SPDX-License-Identifier: Apache-2.0
#include "manager/probe/canary_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <utility>

#include "base/file.h"
#include "base/text.h"
#include "manager/probe/secret.h"

namespace agentctl::probe {
namespace {

bool exists(const std::string& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0;
}

class Outside : public Canary {
 public:
  Outside(std::string directory, std::string secret) : directory_(std::move(directory)), secret_(std::move(secret)) {}

  Result<void> plant() const {
    AGENTCTL_TRY_VOID(write_file(in("secret"), secret_ + "\n", 0600));
    AGENTCTL_TRY_VOID(write_file(in("written"), "", 0600));
    return write_file(in("linked"), "", 0600);
  }
  void describe(Planted& planted) const override {
    planted.tell("outside", directory_);
    for (const char* item : {"outside-read", "outside-alias", "link-out", "descriptor-read", "working-directory"}) {
      planted.secrets[item] = {secret_};
      planted.paths[item] = in("secret");
    }
    planted.paths["outside-write"] = in("written");
    planted.paths["outside-make"] = in("made");
  }
  void reset() override {
    ::unlink(in("made").c_str());
    ::unlink(in("made-by-descriptor").c_str());
    (void)plant();
  }
  void look(Evidence& evidence) override {
    struct stat status {};
    if (::stat(in("written").c_str(), &status) != 0 || status.st_size != 0) evidence.effects.insert("outside-write");
    if (::stat(in("linked").c_str(), &status) != 0 || status.st_nlink > 1) evidence.effects.insert("hard-link");
    if (exists(in("made"))) evidence.effects.insert("outside-make");
    if (exists(in("made-by-descriptor"))) evidence.effects.insert("descriptor-write");
  }

 private:
  [[nodiscard]] std::string in(std::string_view name) const { return cat(directory_, "/", name); }
  std::string directory_;
  std::string secret_;
};

class SecretFile : public Canary {
 public:
  SecretFile(std::string item, std::string path, std::string secret)
      : item_(std::move(item)), path_(std::move(path)), secret_(std::move(secret)) {}
  ~SecretFile() override { ::unlink(path_.c_str()); }
  void describe(Planted& planted) const override {
    planted.tell(item_, path_);
    planted.secrets[item_] = {secret_};
    planted.paths[item_] = path_;
  }
  void reset() override {}
  void look(Evidence&) override {}

 private:
  std::string item_;
  std::string path_;
  std::string secret_;
};

class FreeName : public Canary {
 public:
  FreeName(std::string item, std::string path) : item_(std::move(item)), path_(std::move(path)) {}
  ~FreeName() override { ::unlink(path_.c_str()); }
  void describe(Planted& planted) const override {
    planted.tell(item_, path_);
    planted.paths[item_] = path_;
  }
  void reset() override { ::unlink(path_.c_str()); }
  void look(Evidence& evidence) override {
    if (exists(path_)) evidence.effects.insert(item_);
  }

 private:
  std::string item_;
  std::string path_;
};

}  // namespace

Result<void> write_file(const std::string& path, std::string_view content, unsigned mode) {
  const UniqueFd file =
      AGENTCTL_TRY(open_at(AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, static_cast<mode_t>(mode)));
  return write_all(file.get(), content);
}

Result<std::unique_ptr<Canary>> plant_outside(const std::string& directory) {
  auto outside = std::make_unique<Outside>(directory, AGENTCTL_TRY(make_secret()));
  AGENTCTL_TRY_VOID(outside->plant());
  return std::unique_ptr<Canary>(std::move(outside));
}

Result<std::unique_ptr<Canary>> plant_secret_file(std::string item, const std::string& path) {
  const std::string secret = AGENTCTL_TRY(make_secret());
  const UniqueFd file = AGENTCTL_TRY(open_at(AT_FDCWD, path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600));
  auto canary = std::make_unique<SecretFile>(std::move(item), path, secret);
  AGENTCTL_TRY_VOID(write_all(file.get(), secret + "\n"));
  return std::unique_ptr<Canary>(std::move(canary));
}

std::unique_ptr<Canary> watch_free_name(std::string item, std::string path) {
  return std::make_unique<FreeName>(std::move(item), std::move(path));
}

}  // namespace agentctl::probe
