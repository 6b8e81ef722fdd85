// SPDX-License-Identifier: Apache-2.0
#include "base/error.h"

#include <cerrno>

#include <doctest/doctest.h>

#include "base/result.h"

namespace agentctl {
namespace {

Result<int> half(int number) {
  if (number % 2 != 0) return make_error(ErrorKind::usage, "odd");
  return number / 2;
}

Result<int> quarter(int number) {
  const int once = AGENTCTL_TRY(half(number));
  return with_context("second half", half(once));
}

Result<void> only_even(int number) {
  AGENTCTL_TRY_VOID(half(number));
  return {};
}

}  // namespace

TEST_SUITE_BEGIN("error");

TEST_CASE("the outermost context stands first and the cause last") {
  Error error = errno_error(ENOENT, "cannot open '/x'");
  error.prepend("cannot load the policy");
  CHECK_EQ(error.message, "cannot load the policy: cannot open '/x': No such file or directory");
  CHECK_EQ(error.sys_errno, ENOENT);
  CHECK(error.kind == ErrorKind::system);
}

TEST_CASE("an errno that nobody knows is still an error") {
  CHECK_EQ(errno_error(99'999, "cannot x").message, "cannot x: unknown error");
}

TEST_CASE("the errno form without a number takes errno itself") {
  errno = EACCES;
  CHECK_EQ(errno_error("cannot open").message, "cannot open: Permission denied");
}

TEST_CASE("a hint is empty unless given") {
  CHECK(make_error(ErrorKind::usage, "x").hint.empty());
  CHECK_EQ(make_error(ErrorKind::usage, "x").with_hint("do y").hint, "do y");
}

TEST_CASE("a value passes through and an error returns from the enclosing function") {
  CHECK_EQ(*quarter(8), 2);
  CHECK_EQ(quarter(3).error().message, "odd");
  CHECK_EQ(quarter(6).error().message, "second half: odd");
  CHECK(only_even(2).has_value());
  CHECK_FALSE(only_even(1).has_value());
}

TEST_SUITE_END();

}  // namespace agentctl
