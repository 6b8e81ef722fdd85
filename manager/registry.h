// SPDX-License-Identifier: Apache-2.0
// The sessions of this user, read from their records. A record whose supervisor is gone is swept on the way: whatever
// is left of its cgroup is killed, its directory removed, and a receipt kept that says so (lost_session.h). Nothing in
// a record is believed that can be proven.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "manager/record.h"

namespace agentctl::manager {

struct KnownSession {
  std::string directory;
  Record record;
};

struct Listing {
  std::vector<KnownSession> sessions;  // by start time
  std::vector<std::string> swept;      // names of those whose supervisor was gone
  std::vector<Error> unread;           // what could not be looked at, and may tell of more sessions
};

[[nodiscard]] Listing list_sessions();

// What the record in `runtime_dir` of the session `id` says, one of this boot; whether its supervisor lives is not
// proven, and nothing is swept. None: there is no such record.
[[nodiscard]] std::optional<KnownSession> read_session(const std::string& runtime_dir, const std::string& id);

// What a start must know of the others, without proving and reading in full what does not concern it: it must not take
// longer the more there are.
struct Neighbours {
  std::vector<std::string> names;  // of all that may run: one whose supervisor's number is another's now is among them
  Listing in_project;              // proven
};
[[nodiscard]] Neighbours list_neighbours(const std::string& project);
[[nodiscard]] std::vector<std::string> session_names(const Listing& listing);

// Of a listing with something unread: that there may be more sessions, and why they cannot be told of.
[[nodiscard]] Error explain_unread(const Listing& listing);

// `name` is a session's name, its id, or a prefix of one name only; else an Error that lists the candidates.
[[nodiscard]] Result<KnownSession> find_session(const Listing& listing, const std::string& name);

}  // namespace agentctl::manager
