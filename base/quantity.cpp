// SPDX-License-Identifier: Apache-2.0
#include "base/quantity.h"

#include <array>
#include <optional>

#include "base/text.h"

namespace agentctl {
namespace {

constexpr std::string_view kDigits = "0123456789";
constexpr std::string_view kBlank = " \t";
constexpr std::uint64_t kPercentUnit = 100;  // hundredths in one percent

struct Unit {
  std::string_view name;
  std::uint64_t factor;
};

constexpr std::array<Unit, 6> kSizeUnits = {
    {{"K", 1ULL << 10}, {"M", 1ULL << 20}, {"G", 1ULL << 30}, {"T", 1ULL << 40}, {"P", 1ULL << 50}, {"E", 1ULL << 60}}};

// systemd.time(7). A month is 30.44 days and a year 365.25 days there.
constexpr std::uint64_t kSecond = 1'000'000;
constexpr std::uint64_t kDay = 86'400 * kSecond;
constexpr std::array<Unit, 31> kTimeUnits = {{{"us", 1},
                                              {"usec", 1},
                                              {"µs", 1},
                                              {"μs", 1},
                                              {"ms", 1000},
                                              {"msec", 1000},
                                              {"s", kSecond},
                                              {"sec", kSecond},
                                              {"second", kSecond},
                                              {"seconds", kSecond},
                                              {"", kSecond},
                                              {"m", 60 * kSecond},
                                              {"min", 60 * kSecond},
                                              {"minute", 60 * kSecond},
                                              {"minutes", 60 * kSecond},
                                              {"h", 3600 * kSecond},
                                              {"hr", 3600 * kSecond},
                                              {"hour", 3600 * kSecond},
                                              {"hours", 3600 * kSecond},
                                              {"d", kDay},
                                              {"day", kDay},
                                              {"days", kDay},
                                              {"w", 7 * kDay},
                                              {"week", 7 * kDay},
                                              {"weeks", 7 * kDay},
                                              {"M", 2'629'800 * kSecond},
                                              {"month", 2'629'800 * kSecond},
                                              {"months", 2'629'800 * kSecond},
                                              {"y", 31'557'600 * kSecond},
                                              {"year", 31'557'600 * kSecond},
                                              {"years", 31'557'600 * kSecond}}};

std::optional<std::uint64_t> find_unit(const auto& units, std::string_view name) {
  for (const Unit& unit : units) {
    if (unit.name == name) return unit.factor;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> multiply(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
  return product;
}

std::optional<std::uint64_t> add(std::uint64_t a, std::uint64_t b) {
  std::uint64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) return std::nullopt;
  return sum;
}

std::optional<std::uint64_t> parse_whole(std::string_view digits) {
  if (digits.empty()) return std::nullopt;
  std::uint64_t value = 0;
  for (const char digit : digits) {
    if (digit < '0' || digit > '9') return std::nullopt;
    const auto shifted = multiply(value, 10);
    if (!shifted) return std::nullopt;
    const auto sum = add(*shifted, static_cast<std::uint64_t>(digit - '0'));
    if (!sum) return std::nullopt;
    value = *sum;
  }
  return value;
}

// "12" or "12.5" cut off the front of `text`.
struct Decimal {
  std::string_view whole;
  std::string_view fraction;
};

std::optional<Decimal> take_decimal(std::string_view& text) {
  Decimal decimal;
  decimal.whole = text.substr(0, text.find_first_not_of(kDigits));
  text.remove_prefix(decimal.whole.size());
  if (decimal.whole.empty()) return std::nullopt;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    decimal.fraction = text.substr(0, text.find_first_not_of(kDigits));
    text.remove_prefix(decimal.fraction.size());
    if (decimal.fraction.empty()) return std::nullopt;
  }
  return decimal;
}

// decimal x unit, rounded down. Exact for units up to 2^60: the fraction's digits are taken from the last to the first,
// and floor((floor(x) + n) / 10) equals floor((x + n) / 10).
std::optional<std::uint64_t> scale(const Decimal& decimal, std::uint64_t unit) {
  const auto whole = parse_whole(decimal.whole);
  if (!whole) return std::nullopt;
  const auto scaled = multiply(*whole, unit);
  if (!scaled) return std::nullopt;
  std::uint64_t rest = 0;
  for (auto digit = decimal.fraction.rbegin(); digit != decimal.fraction.rend(); ++digit) {
    rest = (rest + static_cast<std::uint64_t>(*digit - '0') * unit) / 10;
  }
  const auto sum = add(*scaled, rest);
  return sum && *sum != kInfinity ? sum : std::nullopt;  // that value is taken: it says "infinity"
}

Error not_a(std::string_view what, std::string_view text, std::string_view example) {
  return make_error(ErrorKind::usage, cat("'", printable(text), "' is not ", what, " (", example, ")"));
}

Error not_a_size(std::string_view text) {
  return not_a("a size", text, "a number of bytes, also with K, M, G, T, P or E as in \"8G\", or \"infinity\"");
}

}  // namespace

Result<std::uint64_t> parse_size(std::string_view text) {
  if (text == "infinity") return kInfinity;
  std::string_view rest = text;
  const auto decimal = take_decimal(rest);
  if (!decimal || rest.size() > 1) return not_a_size(text);
  std::uint64_t unit = 1;
  if (!rest.empty()) {
    const char letter = rest[0] >= 'a' && rest[0] <= 'z' ? static_cast<char>(rest[0] - 'a' + 'A') : rest[0];
    const auto found = find_unit(kSizeUnits, std::string_view(&letter, 1));
    if (!found) return not_a_size(text);
    unit = *found;
  } else if (!decimal->fraction.empty()) {
    return not_a_size(text);
  }
  const auto bytes = scale(*decimal, unit);
  if (!bytes) return make_error(ErrorKind::usage, cat("'", text, "' is too large a size"));
  return *bytes;
}

Result<std::uint64_t> parse_size_or_share(std::string_view text, std::uint64_t whole) {
  if (!text.ends_with('%')) return parse_size(text);
  const std::uint64_t share = AGENTCTL_TRY(parse_percent(text));
  constexpr std::uint64_t kAll = 100 * kPercentUnit;
  if (share > kAll) return make_error(ErrorKind::usage, cat("'", text, "' is more than all there is (100%)"));
  return whole / kAll * share + whole % kAll * share / kAll;
}

Result<std::uint64_t> parse_percent(std::string_view text) {
  std::string_view rest = text;
  const auto decimal = take_decimal(rest);
  if (!decimal || rest != "%" || decimal->fraction.size() > 2) {
    return not_a("a percentage", text, "a number with at most two decimals and the sign, as in \"150%\"");
  }
  const auto hundredths = scale(*decimal, kPercentUnit);
  if (!hundredths) return make_error(ErrorKind::usage, cat("'", text, "' is too large a percentage"));
  return *hundredths;
}

Result<std::uint64_t> parse_duration(std::string_view text) {
  if (text == "infinity") return kInfinity;
  const auto refuse = [&] {
    return not_a("a duration", text, "seconds, or with us, ms, s, min, h, d or w as in \"1h 30min\", or \"infinity\"");
  };
  std::uint64_t total = 0;
  std::string_view rest = trim(text);
  if (rest.empty()) return refuse();
  while (!rest.empty()) {
    const auto decimal = take_decimal(rest);
    if (!decimal) return refuse();
    rest.remove_prefix(std::min(rest.find_first_not_of(kBlank), rest.size()));
    const std::string_view name = rest.substr(0, rest.find_first_of("0123456789. \t"));
    const auto unit = find_unit(kTimeUnits, name);
    if (!unit) return refuse();
    rest.remove_prefix(name.size());
    rest.remove_prefix(std::min(rest.find_first_not_of(kBlank), rest.size()));
    const auto part = scale(*decimal, *unit);
    const auto sum = part ? add(total, *part) : std::nullopt;
    if (!sum || *sum == kInfinity) return make_error(ErrorKind::usage, cat("'", text, "' is too long a duration"));
    total = *sum;
  }
  return total;
}

Result<std::uint64_t> parse_count(std::string_view text) {
  if (text == "infinity") return kInfinity;
  const auto value = parse_whole(text);
  if (!value || *value == kInfinity) return not_a("a count", text, "a whole number, or \"infinity\"");
  return *value;
}

std::string format_size(std::uint64_t bytes) {
  if (bytes == kInfinity) return "infinity";
  for (auto unit = kSizeUnits.rbegin(); unit != kSizeUnits.rend(); ++unit) {
    if (bytes < unit->factor) continue;
    // Tenths are cut, not rounded: a size never reads larger than it is.
    return cat(bytes / unit->factor, '.', bytes % unit->factor * 10 / unit->factor, unit->name);
  }
  return cat(bytes, 'B');
}

std::string format_duration(std::uint64_t usec) {
  if (usec == kInfinity) return "infinity";
  if (usec == 0) return "0";
  constexpr std::array<Unit, 6> kParts = {
      {{"d", kDay}, {"h", 3600 * kSecond}, {"min", 60 * kSecond}, {"s", kSecond}, {"ms", 1000}, {"us", 1}}};
  std::string out;
  for (const Unit& part : kParts) {
    if (usec < part.factor) continue;
    if (!out.empty()) out += ' ';
    out += cat(usec / part.factor, part.name);
    usec %= part.factor;
  }
  return out;
}

std::string format_cpu_quota(std::uint64_t usec_per_sec) {
  if (usec_per_sec == kInfinity) return "infinity";
  std::string out = std::to_string(usec_per_sec / 10'000);
  std::string fraction = std::to_string(10'000 + usec_per_sec % 10'000).substr(1);
  while (fraction.ends_with('0')) fraction.pop_back();
  if (!fraction.empty()) out += cat('.', fraction);
  return out + '%';
}

}  // namespace agentctl
