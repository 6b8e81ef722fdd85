// SPDX-License-Identifier: Apache-2.0
#include "manager/project_policy.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>

#include "base/sha256.h"
#include "base/text.h"
#include "base/unique_fd.h"
#include "manager/trust_store.h"
#include "policy/policy_reader.h"

namespace agentctl::manager {

Result<ProjectPolicyFile> read_project_policy(const std::string& project) {
  ProjectPolicyFile file;
  file.path = cat(project, "/", kProjectPolicyName);
  const UniqueFd directory(::open(project.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  struct stat status {};
  if (!directory.valid() || ::fstat(directory.get(), &status) != 0) return file;
  file.device = status.st_dev;
  file.inode = status.st_ino;
  file.text = AGENTCTL_TRY(
      policy::read_policy_text(directory.get(), kProjectPolicyName, file.path, policy::PolicyLinks::refused));
  std::array<char, PATH_MAX> name{};
  const ssize_t length = ::readlink(cat("/proc/self/fd/", directory.get()).c_str(), name.data(), name.size());
  if (length > 0) file.directory.assign(name.data(), static_cast<std::size_t>(length));
  return file;
}

Result<Trust> find_trust(const ProjectPolicyFile& file, const std::string& config_dir) {
  if (!file.text || file.directory.empty()) return Trust::none;
  const policy::TrustList list = AGENTCTL_TRY(load_trust(config_dir));
  const policy::TrustedProject* trusted = policy::find_trusted(list, file.directory);
  if (trusted == nullptr) return Trust::none;
  return trusted->sha256 == sha256_hex(*file.text) ? Trust::current : Trust::outdated;
}

}  // namespace agentctl::manager
