// SPDX-License-Identifier: Apache-2.0
#include "bwrap/path_answer.h"

#include <algorithm>
#include <deque>
#include <map>
#include <set>

#include "base/text.h"
#include "bwrap/path_resolution.h"

namespace agentctl::bwrap {
namespace {

constexpr int kMostLinks = 40;  // path_resolution(7)
constexpr std::uint32_t kMaskMode = 0500;
constexpr const char* kDefault = "built-in default";
constexpr std::string_view kDevices[] = {"null", "zero", "full", "random", "urandom", "tty",    "console",
                                         "ptmx", "pts",  "shm",  "fd",     "stdin",   "stdout", "stderr"};

// A place inside: what stands there, and the operation that put it there (none: the empty root).
struct Place {
  enum class Kind { absent, ours, host, file, link, hidden, anew } kind = Kind::absent;
  const Operation* operation = nullptr;
  std::string target;  // of a link
  std::string host;    // the path on the host, where the place is the host's
  HostEntry entry;
};

class Walker {
 public:
  Walker(const Plan& plan, const LookAtHost& look) : own_{plan.own.cache, plan.own.home}, look_(look) {
    for (const Operation& operation : plan.operations) {
      const std::string& at = operation.destination.str();
      if (operation.kind == OperationKind::remount_read_only) {
        sealed_.insert(at);
      } else if (operation.kind != OperationKind::pin) {  // shows what the tree around it shows, by that one's rule
        operations_[at] = &operation;
        sealed_.erase(at);
      }
    }
  }

  PathAnswer walk(const std::string& path) {
    std::deque<std::string> rest = parts_of(path);
    std::string at = "/";
    Place place = look_at(at);
    for (int links = 0; !rest.empty();) {
      const std::string part = rest.front();
      rest.pop_front();
      if (part.empty() || part == ".") continue;
      const std::string next = part == ".." ? parent_path(at) : join_path(at, part);
      place = look_at(next);
      if (place.kind == Place::Kind::link) {
        answer_.links.push_back(cat(next, " -> ", place.target));
        if (++links > kMostLinks) return absent(next, place, "too many links in a row");
        const std::deque<std::string> target = parts_of(place.target);
        rest.insert(rest.begin(), target.begin(), target.end());
        if (place.target.starts_with('/')) at = "/";
        place = look_at(at);
        continue;
      }
      at = next;
      if (place.kind == Place::Kind::absent) {
        wanted_ = at;
        for (const std::string& below : rest) {
          if (!below.empty() && below != ".")
            wanted_ = below == ".." ? parent_path(wanted_) : join_path(wanted_, below);
        }
        return absent(at, place, {});
      }
      const bool is_process_table = place.kind == Place::Kind::anew && place.operation->kind == OperationKind::proc;
      if (place.kind == Place::Kind::hidden || is_process_table) break;
    }
    return found(at, place);
  }

 private:
  static std::deque<std::string> parts_of(const std::string& path) {
    const std::vector<std::string> parts = split(path, '/');
    return {parts.begin(), parts.end()};
  }

  // The nearest operation at or above a path; none is the root, an empty place of ours.
  const Operation* cover_of(const std::string& path) const {
    for (std::string at = path;; at = parent_path(at)) {
      const auto found = operations_.find(at);
      if (found != operations_.end()) return found->second;
      if (at == "/") return nullptr;
    }
  }

  bool has_something_below(const std::string& path) const {
    const auto below = operations_.lower_bound(path + "/");
    return below != operations_.end() && starts_with_path(below->first, path);
  }

  Place look_at(const std::string& path) const {
    Place place;
    place.operation = cover_of(path);
    if (place.operation == nullptr) return ours(path, place);
    const bool is_itself = place.operation->destination.str() == path;
    switch (place.operation->kind) {
      case OperationKind::symlink:
        place.kind = Place::Kind::link;
        place.target = place.operation->text;
        return place;
      case OperationKind::bind:
      case OperationKind::bind_project:
      case OperationKind::bind_device:
      case OperationKind::pin:
        return on_host(path, place);
      case OperationKind::tmpfs:
      case OperationKind::directory:
        if (place.operation->mode == kMaskMode) place.kind = Place::Kind::hidden;
        return place.kind == Place::Kind::hidden ? place : ours(path, place);
      case OperationKind::proc:
        place.kind = Place::Kind::anew;
        return place;
      case OperationKind::dev:
        return device(path, place);
      case OperationKind::mask:
        place.kind = Place::Kind::hidden;
        return place;
      case OperationKind::bind_stage:
      case OperationKind::copy:
      case OperationKind::data:
        place.kind = is_itself ? Place::Kind::file : Place::Kind::absent;
        return place;
      case OperationKind::remount_read_only:
        break;
    }
    return place;
  }

  Place ours(const std::string& path, Place place) const {
    const bool is_itself = path == "/" || (place.operation != nullptr && place.operation->destination.str() == path);
    place.kind = is_itself || has_something_below(path) ? Place::Kind::ours : Place::Kind::absent;
    return place;
  }

  Place device(const std::string& path, Place place) const {
    const std::string name = path.substr(std::min(path.size(), place.operation->destination.str().size() + 1));
    const std::string first = name.substr(0, name.find('/'));
    const bool is_known =
        name.empty() || std::find(std::begin(kDevices), std::end(kDevices), first) != std::end(kDevices);
    place.kind = is_known ? Place::Kind::anew : Place::Kind::absent;
    return place;
  }

  Place on_host(const std::string& path, Place place) const {
    place.host = place.operation->source.str() + path.substr(place.operation->destination.str().size());
    place.entry = look_(place.host);
    place.target = place.entry.target;
    place.kind = place.entry.kind == HostEntry::Kind::absent ? Place::Kind::absent
                 : place.entry.kind == HostEntry::Kind::link ? Place::Kind::link
                                                             : Place::Kind::host;
    return place;
  }

  PathAnswer absent(const std::string& at, const Place& place, std::string why) {
    answer_.end = at;
    answer_.rule = origin_of(place);
    answer_.why = std::move(why);
    if (!answer_.why.empty()) return answer_;
    if (is_own(place)) {
      const std::string own = cat("'", place.operation->destination.str(), "' is the session's own, kept in '",
                                  place.operation->source.str(), "'");
      answer_.why = look_(at).kind == HostEntry::Kind::absent ? cat(own, "; nothing is there yet")
                                                              : cat(own, "; what is on the host is not shown");
    } else if (!place.host.empty()) {
      answer_.why = "it is not on the host either";
    } else if (place.operation != nullptr && place.operation->kind == OperationKind::dev) {
      answer_.why = "the session has no such device";
    } else {
      answer_.why = look_(wanted_).kind == HostEntry::Kind::absent ? "it is not on the host, and no rule makes it"
                                                                   : "it is on the host, and no rule shows it";
    }
    return answer_;
  }

  PathAnswer found(const std::string& at, const Place& place) {
    answer_.end = at;
    answer_.rule = origin_of(place);
    const Operation* operation = place.operation;
    answer_.readable = true;
    switch (place.kind) {
      case Place::Kind::hidden:
        answer_.visibility = Visibility::hidden;
        answer_.why = "something empty stands there";
        break;
      case Place::Kind::anew:
        answer_.visibility = Visibility::made_anew;
        answer_.why = cat("'", operation->destination.str(), "' is made anew for each session");
        break;
      case Place::Kind::file:
        answer_.visibility = operation->kind == OperationKind::copy ? Visibility::copy : Visibility::read_only;
        answer_.writable = operation->kind == OperationKind::copy;
        break;
      case Place::Kind::host:
        describe_host(*operation, place.entry);
        if (is_own(place) && answer_.why.empty())
          answer_.why = cat("it is the session's own, kept in '", place.host, "'");
        break;
      case Place::Kind::ours:
      case Place::Kind::absent:
      case Place::Kind::link:
        answer_.writable = operation != nullptr && !sealed_.contains(operation->destination.str());
        answer_.visibility = answer_.writable ? Visibility::writable : Visibility::read_only;
        answer_.why = answer_.writable ? "it is the session's own: what is written there is gone at its end"
                                       : "it is the session's own, for what is below it";
        break;
    }
    return answer_;
  }

  void describe_host(const Operation& operation, const HostEntry& entry) {
    const bool is_open = operation.access == Access::read_write;
    answer_.visibility = is_open ? Visibility::writable : Visibility::read_only;
    answer_.readable = entry.readable;
    answer_.writable = is_open && entry.writable;
    if (!entry.readable) {
      answer_.why = "its own permissions do not let you read it";
    } else if (is_open && !entry.writable) {
      answer_.why = "the rule lets the session write it, its own permissions do not";
    }
  }

  // What agentctl keeps for sessions, which the host has under another name.
  bool is_own(const Place& place) const {
    return !place.host.empty() && std::find(own_.begin(), own_.end(), place.operation->source.str()) != own_.end();
  }

  static std::string origin_of(const Place& place) {
    return place.operation == nullptr ? kDefault : place.operation->origin;
  }

  std::vector<std::string> own_;
  const LookAtHost& look_;
  std::map<std::string, const Operation*> operations_;
  std::set<std::string> sealed_;
  PathAnswer answer_;
  std::string wanted_;  // what was asked for, where something above it is not there already
};

}  // namespace

std::string_view to_string(Visibility visibility) {
  switch (visibility) {
    case Visibility::absent:
      return "absent";
    case Visibility::hidden:
      return "hidden";
    case Visibility::read_only:
      return "read-only";
    case Visibility::writable:
      return "writable";
    case Visibility::copy:
      return "copy";
    case Visibility::made_anew:
      return "made-anew";
  }
  return "absent";
}

PathAnswer explain_path(const Plan& plan, const std::string& path, const LookAtHost& look) {
  return Walker(plan, look).walk(path);
}

}  // namespace agentctl::bwrap
