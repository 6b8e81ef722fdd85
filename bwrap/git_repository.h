// SPDX-License-Identifier: Apache-2.0
// The repository that git on the host would use in the project, as facts: what outside of the project git needs to
// write (only what git_proof.h proves), and what must stay read-only in it (git_guards.h). Files are parsed; git itself
// is never run, since its configuration can name programs. Nothing here fails a start: what does not prove itself is
// not granted, and a warning says why.
#pragma once

#include <string>

#include "bwrap/host_facts.h"
#include "bwrap/path_resolution.h"
#include "policy/policy.h"

namespace agentctl::bwrap {

struct GitRequest {
  const HostPath& project;  // canonical
  std::string home;         // as named by HOME
  const policy::FileSettings& files;
};

[[nodiscard]] GitFact find_git(const GitRequest& request, PathResolver& resolver);

}  // namespace agentctl::bwrap
