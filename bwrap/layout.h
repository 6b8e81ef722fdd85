// SPDX-License-Identifier: Apache-2.0
// Layout: what should stand where inside, in any order, brought into the order in which bwrap has to build it. Pure.
// A deeper path wins over a shallower one wherever it was named; at one path the stronger rank wins. A bound tree
// stands at its own host path, so what lies below it must be there already: nothing may be made on the host. Above all
// mounts that take something away inside a writable tree, each directory becomes a mount point too: the kernel refuses
// to rename a mount point, but not a directory above one. So do directories that are held for what may come to be in
// them.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "bwrap/host_facts.h"
#include "bwrap/plan.h"

namespace agentctl::bwrap {

enum class Rank { built_in, read_only, read_write, protect, copy, hide };

struct Want {
  Operation operation;
  Rank rank = Rank::built_in;
  bool grants = true;          // shows something even where nothing around it does
  bool stands_on_host = true;  // the host has a fitting mount point at the destination
};

class Layout {
 public:
  void want(Want added);
  // The links that lead to a path, to be made again where the directory around them is ours.
  void want_links(const PathFact& fact, const std::string& origin);
  // What is hidden, and its names at which more may come to stand.
  void hide(const PathFact& fact, const std::string& origin);
  // Nobody inside may rename this directory of the host's, or one above it in the tree that it is shown with.
  void hold(const std::string& directory, const std::string& origin) { held_.try_emplace(directory, origin); }
  // What nobody has asked for by name is not shown below `path` either.
  void close(const std::string& path) { closed_.insert(path); }
  [[nodiscard]] const std::vector<HiddenName>& hidden_names() const { return hidden_names_; }
  // What a glob is not to hide later either.
  void show_by_name(ShownByName shown) { shown_by_name_.push_back(std::move(shown)); }
  [[nodiscard]] const std::vector<ShownByName>& shown_by_name() const { return shown_by_name_; }
  // A mount of ours that becomes read-only once everything in it stands.
  void seal(const std::string& path) { sealed_.insert(path); }
  // The device nodes, which are the host's, can be opened inside for writing, but not changed: their mounts become
  // read-only, and so do those of every bound device.
  void seal_devices(const std::vector<std::string>& nodes) { sealed_nodes_ = nodes; }
  // Before arrange(). Whether something was wanted at the path or below it; whether what stands there so far is the
  // host's own; whether it lies in something hidden.
  [[nodiscard]] bool has_at(const std::string& path) const { return wants_.contains(path); }
  [[nodiscard]] bool has_at_or_below(const std::string& path) const;
  [[nodiscard]] bool is_of_the_host(const std::string& path) const { return cover_at(path).kind == Cover::Kind::host; }
  [[nodiscard]] bool is_hidden(const std::string& path) const;
  // Call once, last. Errors are of kind policy and name the destination that cannot be.
  [[nodiscard]] Result<std::vector<Operation>> arrange();
  // After arrange(): by what was closed, what is not shown for it; whether what stands at a path is the host's own, and
  // can be written; whether the path, links and all, leads inside to what it leads to on the host.
  [[nodiscard]] const std::map<std::string, std::vector<std::string>>& withheld() const { return withheld_; }
  [[nodiscard]] bool is_writable(const std::string& path) const;
  [[nodiscard]] bool shows(const PathFact& fact) const;

 private:
  struct Cover {
    std::string_view path;  // of the argument
    enum class Kind { ours, host, special, file } kind = Kind::ours;
    bool writable = true;
  };
  [[nodiscard]] Cover cover_above(std::string_view path) const;
  [[nodiscard]] Cover cover_at(std::string_view path) const;
  [[nodiscard]] Result<bool> keep(const Want& want) const;
  void withhold_defaults();
  void pin_ancestors();
  void pin_upwards(const std::string& directory, const Cover& tree, const std::string& origin,
                   std::map<std::string, Want>& pins) const;
  // A hidden directory in which something is shown all the same is a tmpfs of its own.
  void open_masks();
  [[nodiscard]] Result<void> keep_links();

  std::map<std::string, Want, std::less<>> wants_;
  std::map<std::string, Operation> links_;
  std::set<std::string> sealed_;
  std::vector<std::string> sealed_nodes_;
  std::set<std::string> closed_;
  std::map<std::string, std::string> held_;  // directory, origin
  std::map<std::string, std::vector<std::string>> withheld_;
  std::vector<HiddenName> hidden_names_;
  std::vector<ShownByName> shown_by_name_;
};

[[nodiscard]] Want bind_want(const PathFact& fact, Access access, Rank rank, const std::string& origin);
// Something empty of the same type in its place.
[[nodiscard]] Want hide_want(const PathFact& fact, const std::string& origin);

}  // namespace agentctl::bwrap
