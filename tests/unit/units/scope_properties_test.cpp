// SPDX-License-Identifier: Apache-2.0
#include "units/scope_properties.h"

#include <doctest/doctest.h>

namespace agentctl::units {

TEST_SUITE_BEGIN("scope_properties");

TEST_CASE("memory-high and io-weight are set only when asked for") {
  const auto has = [](const std::vector<ScopeProperty>& properties, std::string_view name) {
    for (const ScopeProperty& property : properties) {
      if (property.name == name) return true;
    }
    return false;
  };
  ScopeLimits limits;
  CHECK_FALSE(has(limit_properties(limits), "MemoryHigh"));
  CHECK_FALSE(has(limit_properties(limits), "IOWeight"));
  limits.memory_high = 1;
  limits.io_weight = 1;
  CHECK(has(limit_properties(limits), "MemoryHigh"));
  CHECK(has(limit_properties(limits), "IOWeight"));
}

TEST_CASE("out of memory ends one process, or all when the policy says so") {
  ScopeRequest request;
  CHECK(scope_properties(request).back() == ScopeProperty{"OOMPolicy", std::string("continue"), true});
  request.limits.oom_kills_all = true;
  CHECK(scope_properties(request).back() == ScopeProperty{"OOMPolicy", std::string("kill"), true});
}

TEST_CASE("nothing but the policy for out of memory is optional, and no time limit is set") {
  ScopeRequest request;
  request.limits.memory_high = 1;
  request.limits.io_weight = 1;
  for (const ScopeProperty& property : scope_properties(request)) {
    CHECK(property.optional == (property.name == "OOMPolicy"));
    CHECK(property.name != "RuntimeMaxUSec");
  }
}

TEST_CASE("versions are read as distributions write them") {
  CHECK(parse_manager_version("252.39-1~deb12u2") == 252);
  CHECK(parse_manager_version("262-1") == 262);
  CHECK(parse_manager_version("257") == 257);
  CHECK(parse_manager_version("v262") == 0);
  CHECK(parse_manager_version("") == 0);
}

TEST_CASE("a refused property is found in systemd's words and in no other") {
  CHECK(find_refused_property("Cannot set property OOMPolicy, or unknown property.") == "OOMPolicy");
  CHECK(find_refused_property("Cannot set property OOMPolicy") == "OOMPolicy");
  CHECK(find_refused_property("Access denied").empty());
}

TEST_CASE("what is dropped must be optional") {
  std::vector<ScopeProperty> properties = scope_properties({});
  const std::size_t all = properties.size();
  CHECK(drop_refused(properties, "Cannot set property MemoryMax, or unknown property.").empty());
  CHECK(properties.size() == all);
  CHECK(drop_refused(properties, "Cannot set property OOMPolicy, or unknown property.") == "OOMPolicy");
  CHECK(properties.size() == all - 1);
  CHECK(drop_refused(properties, "no").empty());
}

TEST_SUITE_END();

}  // namespace agentctl::units
