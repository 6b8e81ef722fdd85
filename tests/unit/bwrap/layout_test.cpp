// SPDX-License-Identifier: Apache-2.0
#include "bwrap/layout.h"

#include <algorithm>

#include <doctest/doctest.h>

namespace agentctl::bwrap {
namespace {

PathFact directory(const std::string& path) {
  return PathFact{HostPath(path), HostPath(path), PathKind::directory, {}};
}

Want bound(const std::string& path, Rank rank) {
  const Access access = rank == Rank::read_write ? Access::read_write : Access::read_only;
  return bind_want(directory(path), access, rank, path);
}

Want hidden(const std::string& path) {
  Want want = bound(path, Rank::hide);
  want.operation.kind = OperationKind::mask;
  want.operation.directory = true;
  want.grants = false;
  return want;
}

Want protected_path(const std::string& path) {
  Want want = bound(path, Rank::protect);
  want.grants = false;
  return want;
}

std::string draw(const std::vector<Operation>& operations) {
  std::string text;
  for (const Operation& operation : operations) {
    const bool read_only = operation.access == Access::read_only;
    switch (operation.kind) {
      case OperationKind::bind:
        text += read_only ? "ro " : "rw ";
        break;
      case OperationKind::tmpfs:
        text += "empty ";
        break;
      case OperationKind::mask:
        text += "mask ";
        break;
      case OperationKind::pin:
        text += "pin ";
        break;
      case OperationKind::symlink:
        text += "link ";
        break;
      case OperationKind::remount_read_only:
        text += "close ";
        break;
      default:
        text += "other ";
        break;
    }
    text += operation.destination.str() + "; ";
  }
  return text;
}

std::string arrange(std::vector<Want> wants) {
  Layout layout;
  for (Want& want : wants) layout.want(std::move(want));
  const Result<std::vector<Operation>> operations = layout.arrange();
  return operations ? draw(*operations) : operations.error().message;
}

TEST_SUITE("layout") {
  TEST_CASE("the deeper path wins, in whatever order the rules came") {
    std::vector<Want> wants = {bound("/a", Rank::read_only), bound("/a/x", Rank::read_write), hidden("/a/x/s"),
                               bound("/a/x/s/open", Rank::read_only)};
    const auto by_path = [](const Want& one, const Want& other) {
      return one.operation.destination < other.operation.destination;
    };
    std::sort(wants.begin(), wants.end(), by_path);
    int orders = 0;
    do {
      CHECK_EQ(arrange(wants), "ro /a; rw /a/x; empty /a/x/s; ro /a/x/s/open; close /a/x/s; close /; ");
      ++orders;
    } while (std::next_permutation(wants.begin(), wants.end(), by_path));
    CHECK_EQ(orders, 24);
  }

  TEST_CASE("at one path hide beats protect beats read-write beats read-only") {
    std::vector<Want> wants = {bound("/a", Rank::read_write), bound("/a/b", Rank::read_only), protected_path("/a/b"),
                               bound("/a/b", Rank::read_write)};
    CHECK_EQ(arrange(wants), "rw /a; ro /a/b; close /; ");
    std::reverse(wants.begin(), wants.end());
    CHECK_EQ(arrange(wants), "rw /a; ro /a/b; close /; ");
    wants.push_back(hidden("/a/b"));
    CHECK_EQ(arrange(wants), "rw /a; mask /a/b; close /; ");
    CHECK_EQ(arrange({bound("/a", Rank::read_only), bound("/a", Rank::read_write)}), "rw /a; close /; ");
  }

  TEST_CASE("what the tree around it gives already is not mounted again") {
    CHECK_EQ(arrange({bound("/a", Rank::read_only), bound("/a/b/c", Rank::built_in)}), "ro /a; close /; ");
    CHECK_EQ(arrange({bound("/a", Rank::read_write), bound("/a/b", Rank::read_write)}), "rw /a; close /; ");
  }

  TEST_CASE("every directory above a mount that takes something away is pinned") {
    CHECK_EQ(arrange({bound("/p", Rank::read_write), protected_path("/p/.git/hooks/x"), hidden("/p/.git/y")}),
             "rw /p; pin /p/.git; pin /p/.git/hooks; mask /p/.git/y; ro /p/.git/hooks/x; close /; ");
    CHECK_EQ(arrange({bound("/p", Rank::read_only), hidden("/p/a/b")}), "ro /p; mask /p/a/b; close /; ");
  }

  TEST_CASE("a directory that is held is pinned in a writable tree of the host's, and so are those above it") {
    const auto hold = [](std::vector<Want> wants, const std::string& held) {
      Layout layout;
      for (Want& want : wants) layout.want(std::move(want));
      layout.hold(held, "rule");
      return draw(layout.arrange().value());
    };
    CHECK_EQ(hold({bound("/p", Rank::read_write)}, "/p/a/b"), "rw /p; pin /p/a; pin /p/a/b; close /; ");
    CHECK_EQ(hold({bound("/p", Rank::read_write)}, "/p"), "rw /p; close /; ");
    CHECK_EQ(hold({bound("/p", Rank::read_write), hidden("/p/a/b/c")}, "/p/a"),
             "rw /p; pin /p/a; pin /p/a/b; mask /p/a/b/c; close /; ");
    CHECK_EQ(hold({bound("/p", Rank::read_write), hidden("/p/a")}, "/p/a/b"), "rw /p; mask /p/a; close /; ");
    CHECK_EQ(hold({bound("/p", Rank::read_only)}, "/p/a"), "ro /p; close /; ");
    CHECK_EQ(hold({}, "/p/a"), "close /; ");
  }

  TEST_CASE("a link is made again only where the directory around it is ours") {
    Layout layout;
    layout.want(bound("/data/tools", Rank::read_only));
    PathFact fact = directory("/data/tools/v2/bin");
    fact.links = {Link{HostPath("/home/u/tool"), "/data/tools/current/bin"},
                  Link{HostPath("/data/tools/current"), "v2"}};
    layout.want_links(fact, "test");
    CHECK_EQ(draw(layout.arrange().value()), "ro /data/tools; link /home/u/tool; close /; ");
    CHECK(layout.shows(fact));
    PathFact elsewhere = fact;
    elsewhere.links.push_back(Link{HostPath("/other/name"), "/data/tools"});
    CHECK_FALSE(layout.shows(elsewhere));
    CHECK_FALSE(layout.shows(directory("/data")) == layout.shows(directory("/dat")));
  }

  TEST_CASE("a mount at or below a link is refused") {
    for (const char* place : {"/x", "/x/below"}) {
      Layout layout;
      Want fresh = hidden(place);
      fresh.rank = Rank::built_in;
      layout.want(std::move(fresh));
      layout.want(bound("/x-beside", Rank::read_only));
      PathFact fact = directory("/y");
      fact.links = {Link{HostPath("/x"), "/y"}};
      layout.want_links(fact, "test");
      const Result<std::vector<Operation>> operations = layout.arrange();
      REQUIRE_FALSE(operations.has_value());
      CHECK(operations.error().message.find("'/x' is a symbolic link on the host") != std::string::npos);
    }
  }

  TEST_CASE("a mount point that the host lacks is refused below a bound tree and made in ours") {
    Want fresh = hidden("/a/new");
    fresh.rank = Rank::built_in;
    fresh.stands_on_host = false;
    fresh.operation.kind = OperationKind::tmpfs;
    CHECK_EQ(arrange({fresh}), "empty /a/new; close /; ");
    CHECK_EQ(arrange({fresh, bound("/a", Rank::read_only)}),
             "/a/new: cannot place '/a/new': it would have to be made on the host, in '/a'");
  }

  TEST_CASE("nothing is placed in /proc or below a file") {
    Want proc = hidden("/proc");
    proc.rank = Rank::built_in;
    proc.operation.kind = OperationKind::proc;
    CHECK_EQ(arrange({proc, bound("/proc/sys", Rank::read_only)}),
             "/proc/sys: cannot place '/proc/sys': '/proc' is made anew for each session");
    Want copy = bound("/f", Rank::copy);
    copy.operation.kind = OperationKind::copy;
    CHECK_EQ(arrange({copy, bound("/f/x", Rank::read_only)}), "/f/x: cannot place '/f/x': '/f' is a file");
  }
}

}  // namespace
}  // namespace agentctl::bwrap
