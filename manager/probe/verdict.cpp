// SPDX-License-Identifier: Apache-2.0
#include "manager/probe/verdict.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace agentctl::probe {
namespace {

enum class Way { missing, crashed, skipped, held, unseen, through };

struct Seen {
  Way way = Way::missing;
  std::string detail;
};

bool names_secret(const Item& item, const ReportLine& line, const Planted& planted) {
  const auto secrets = planted.secrets.find(item.name);
  if (secrets == planted.secrets.end()) return false;
  return std::any_of(secrets->second.begin(), secrets->second.end(), [&](const std::string& secret) {
    return !secret.empty() && line.detail.find(secret) != std::string::npos;
  });
}

// `is_control`: of the control both witnesses are asked.
Seen look(const Item& item, const Evidence& evidence, const Planted& planted, bool is_control) {
  const bool effect = evidence.effects.contains(item.name);
  const bool counts = item.witness == Witness::effect || item.witness == Witness::either;
  const auto line = evidence.lines.find(item.name);
  if (line == evidence.lines.end()) {
    return effect && counts && !is_control ? Seen{Way::through, "seen from outside"} : Seen{};
  }
  const bool says_open = line->second.finding == Finding::open;
  bool through = says_open;
  if (item.witness == Witness::effect) through = effect;
  if (item.witness == Witness::secret) through = names_secret(item, line->second, planted);
  if (item.witness == Witness::either) through = is_control ? says_open && effect : says_open || effect;
  if (through) {
    const bool is_contradicted = effect && counts && !says_open;
    return {Way::through, is_contradicted ? "seen from outside" : line->second.detail};
  }
  switch (line->second.finding) {
    case Finding::crash:
      return {Way::crashed, line->second.detail};
    case Finding::skip:
      return {Way::skipped, line->second.detail};
    case Finding::open:
      return {Way::unseen, line->second.detail};
    case Finding::blocked:
      return {Way::held, line->second.detail};
  }
  return {};
}

// Where something of the host half's own was to be reached, the control must have reached it, but for what a host
// refuses to everybody.
bool is_refusal(std::string_view detail) {
  constexpr std::array<std::string_view, 9> kRefusals = {"EPERM",      "EACCES", "EIO",   "ENOTTY", "ENOSYS",
                                                         "EOPNOTSUPP", "EXDEV",  "EROFS", "EMLINK"};
  return std::find(kRefusals.begin(), kRefusals.end(), detail) != kRefusals.end();
}

bool is_below(const std::string& path, const std::vector<std::string>& granted) {
  return std::any_of(granted.begin(), granted.end(),
                     [&](const std::string& place) { return starts_with_path(path, place); });
}

bool is_granted(const Item& item, const Seen& inside, const Planted& planted, const Grants& grants) {
  if (item.opening == Opening::none) return false;
  if (item.opening != Opening::paths) return grants.openings.contains(item.opening);
  const auto& granted = item.witness == Witness::effect ? grants.writable : grants.readable;
  const auto path = planted.paths.find(item.name);
  if (path != planted.paths.end()) return is_below(path->second, granted);
  const std::vector<std::string> words = split(inside.detail, ' ');
  return !words.empty() &&
         std::all_of(words.begin(), words.end(), [&](const std::string& word) { return is_below(word, granted); });
}

}  // namespace

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::pass:
      return "PASS";
    case Verdict::fail:
      return "FAIL";
    case Verdict::allowed:
      return "ALLOWED";
    case Verdict::skip:
      return "SKIP";
    case Verdict::invalid:
      return "VOID";
  }
  return "VOID";
}

Judgement judge(const Item& item, const Evidence& control, const Evidence& inside, const Planted& planted,
                const Grants& grants) {
  const auto say = [&](Verdict verdict, std::string detail) { return Judgement{&item, verdict, std::move(detail)}; };
  const Seen outside = look(item, control, planted, true);
  switch (outside.way) {
    case Way::missing:
      return say(Verdict::invalid, "the control said nothing");
    case Way::crashed:
      return say(Verdict::invalid, cat("the control crashed: ", outside.detail));
    case Way::skipped:
      return say(Verdict::skip, outside.detail);
    case Way::unseen:
      return say(Verdict::invalid, cat("the control was not seen to get through: ", outside.detail));
    case Way::held:
      if (item.witness == Witness::report || is_refusal(outside.detail))
        return say(Verdict::skip, cat("not to be had on this host anyway: ", outside.detail));
      return say(Verdict::invalid, cat("the control did not get through: ", outside.detail));
    case Way::through:
      break;
  }
  const Seen seen = look(item, inside, planted, false);
  switch (seen.way) {
    case Way::missing:
      return say(Verdict::invalid, "the inside said nothing");
    case Way::crashed:
      return say(Verdict::invalid, cat("the attempt crashed: ", seen.detail));
    case Way::skipped:
      return say(Verdict::skip, seen.detail);
    case Way::held:
      return say(Verdict::pass, seen.detail);
    case Way::unseen:
      return say(Verdict::pass, "nothing of it arrived outside");
    case Way::through:
      break;
  }
  return say(is_granted(item, seen, planted, grants) ? Verdict::allowed : Verdict::fail, seen.detail);
}

bool is_passed(const std::vector<Judgement>& judgements) {
  return std::none_of(judgements.begin(), judgements.end(), [](const Judgement& judgement) {
    return judgement.verdict == Verdict::fail || judgement.verdict == Verdict::invalid;
  });
}

}  // namespace agentctl::probe
