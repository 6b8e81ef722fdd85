// SPDX-License-Identifier: Apache-2.0
#include "manager/probe/verdict.h"

#include <doctest/doctest.h>

using namespace agentctl::probe;

namespace {

Item item_with(Witness witness, Opening opening = Opening::none) {
  Item item;
  item.name = "it";
  item.row = "E1";
  item.witness = witness;
  item.opening = opening;
  return item;
}

Evidence says(Finding finding, std::string detail = "d", bool effect = false) {
  Evidence evidence;
  evidence.lines["it"] = {finding, std::move(detail)};
  if (effect) evidence.effects.insert("it");
  return evidence;
}

Verdict verdict_of(const Item& item, const Evidence& control, const Evidence& inside, const Planted& planted = {},
                   const Grants& grants = {}) {
  return judge(item, control, inside, planted, grants).verdict;
}

const Evidence kOpen = says(Finding::open);
const Evidence kBlocked = says(Finding::blocked, "EPERM");

}  // namespace

TEST_SUITE_BEGIN("verdict");

TEST_CASE("what gets through outside and not inside passes, what gets through inside fails") {
  const Item item = item_with(Witness::report);
  CHECK(verdict_of(item, kOpen, kBlocked) == Verdict::pass);
  CHECK(verdict_of(item, kOpen, kOpen) == Verdict::fail);
}

TEST_CASE("an attempt that fails without a sandbox proves nothing") {
  CHECK(verdict_of(item_with(Witness::report), kBlocked, kBlocked) == Verdict::skip);
  CHECK(verdict_of(item_with(Witness::report), kBlocked, kOpen) == Verdict::skip);
}

TEST_CASE("a canary that the control does not reach is no proof, unless the host refuses it to everybody") {
  const Item item = item_with(Witness::effect);
  CHECK(verdict_of(item, says(Finding::blocked, "ECONNREFUSED"), kBlocked) == Verdict::invalid);
  CHECK(verdict_of(item, says(Finding::blocked, "EIO"), kBlocked) == Verdict::skip);
  CHECK(verdict_of(item, kOpen, kBlocked) == Verdict::invalid);  // it says so, and nobody saw it
}

TEST_CASE("a control or an attempt that crashes or says nothing is void") {
  const Item item = item_with(Witness::report);
  CHECK(verdict_of(item, Evidence{}, kBlocked) == Verdict::invalid);
  CHECK(verdict_of(item, says(Finding::crash), kBlocked) == Verdict::invalid);
  CHECK(verdict_of(item, kOpen, Evidence{}) == Verdict::invalid);
  CHECK(verdict_of(item, kOpen, says(Finding::crash)) == Verdict::invalid);
}

TEST_CASE("what cannot be tried is skipped with the reason") {
  const auto judgement = judge(item_with(Witness::report), kOpen, says(Finding::skip, "no terminal"), {}, {});
  CHECK(judgement.verdict == Verdict::skip);
  CHECK(judgement.detail == "no terminal");
  CHECK(verdict_of(item_with(Witness::report), says(Finding::skip), kOpen) == Verdict::skip);
}

TEST_CASE("an effect counts against the inside's own word") {
  const Item item = item_with(Witness::effect);
  const Evidence control = says(Finding::open, "d", true);
  CHECK(verdict_of(item, control, says(Finding::blocked, "EPERM", true)) == Verdict::fail);
  CHECK(verdict_of(item, control, kOpen) == Verdict::pass);  // a place of its own by the same name
  Evidence silent;
  silent.effects.insert("it");
  CHECK(verdict_of(item, control, silent) == Verdict::fail);
}

TEST_CASE("either witness is enough inside, and both are needed outside") {
  const Item item = item_with(Witness::either);
  const Evidence control = says(Finding::open, "d", true);
  CHECK(verdict_of(item, control, kOpen) == Verdict::fail);
  CHECK(verdict_of(item, control, says(Finding::blocked, "EPERM", true)) == Verdict::fail);
  CHECK(verdict_of(item, control, kBlocked) == Verdict::pass);
  CHECK(verdict_of(item, kOpen, kBlocked) == Verdict::invalid);
}

TEST_CASE("only the secret itself proves that it was read") {
  const Item item = item_with(Witness::secret);
  Planted planted;
  planted.secrets["it"] = {"agentctl-canary-0123"};
  const Evidence control = says(Finding::open, "agentctl-canary-0123");
  CHECK(verdict_of(item, control, says(Finding::open, "agentctl-canary-9999"), planted) == Verdict::pass);
  CHECK(verdict_of(item, control, says(Finding::open, "x agentctl-canary-0123"), planted) == Verdict::fail);
  CHECK(verdict_of(item, control, says(Finding::blocked, "agentctl-canary-0123"), planted) == Verdict::fail);
  CHECK(verdict_of(item, says(Finding::open, "something"), kBlocked, planted) == Verdict::invalid);
}

TEST_CASE("what the policy opens is allowed, and nothing else") {
  Grants grants;
  grants.openings = {Opening::network};
  CHECK(verdict_of(item_with(Witness::report, Opening::network), kOpen, kOpen, {}, grants) == Verdict::allowed);
  CHECK(verdict_of(item_with(Witness::report, Opening::nested), kOpen, kOpen, {}, grants) == Verdict::fail);
  CHECK(verdict_of(item_with(Witness::report), kOpen, kOpen, {}, grants) == Verdict::fail);
  CHECK(verdict_of(item_with(Witness::report, Opening::network), kOpen, kBlocked, {}, grants) == Verdict::pass);
}

TEST_CASE("a path that the policy shows may be read, and not written") {
  Grants grants;
  grants.readable = {"/home/me/notes"};
  Planted planted;
  planted.paths["it"] = "/home/me/notes/secret";
  planted.secrets["it"] = {"S"};
  const Evidence read = says(Finding::open, "S");
  CHECK(verdict_of(item_with(Witness::secret, Opening::paths), read, read, planted, grants) == Verdict::allowed);
  const Evidence written = says(Finding::open, "d", true);
  CHECK(verdict_of(item_with(Witness::effect, Opening::paths), written, written, planted, grants) == Verdict::fail);
  planted.paths["it"] = "/home/me/notes-of-mine";
  CHECK(verdict_of(item_with(Witness::secret, Opening::paths), read, read, planted, grants) == Verdict::fail);
}

TEST_CASE("of the places that were opened all must be shown by the policy") {
  Grants grants;
  grants.readable = {"/home/me/.ssh"};
  const Item item = item_with(Witness::report, Opening::paths);
  CHECK(verdict_of(item, kOpen, says(Finding::open, "/home/me/.ssh"), {}, grants) == Verdict::allowed);
  CHECK(verdict_of(item, kOpen, says(Finding::open, "/home/me/.ssh /home/me/.aws"), {}, grants) == Verdict::fail);
  CHECK(verdict_of(item, kOpen, says(Finding::open, ""), {}, grants) == Verdict::fail);
}

TEST_CASE("neither a failure nor a void passes as a whole") {
  const Item item = item_with(Witness::report);
  CHECK(is_passed({{&item, Verdict::pass, ""}, {&item, Verdict::skip, ""}, {&item, Verdict::allowed, ""}}));
  CHECK_FALSE(is_passed({{&item, Verdict::pass, ""}, {&item, Verdict::fail, ""}}));
  CHECK_FALSE(is_passed({{&item, Verdict::invalid, ""}}));
}

TEST_SUITE_END();
