// SPDX-License-Identifier: Apache-2.0
// Result<T>: a value, or the Error that says why there is none. The interface is the part of std::expected
// that we use, under the same names, so that a later switch is one alias (g++ 12 has no std::expected in C++20).
#pragma once

#include <optional>
#include <utility>
#include <variant>

#include "base/error.h"

namespace agentctl {

template <typename T>
class [[nodiscard]] Result {
 public:
  using value_type = T;

  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT: implicit by design
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT: implicit by design

  [[nodiscard]] bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  T& value() & { return std::get<0>(state_); }
  const T& value() const& { return std::get<0>(state_); }
  T&& value() && { return std::get<0>(std::move(state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  Error& error() & { return std::get<1>(state_); }
  const Error& error() const& { return std::get<1>(state_); }
  Error&& error() && { return std::get<1>(std::move(state_)); }

 private:
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  using value_type = void;

  Result() = default;
  Result(Error error) : error_(std::move(error)) {}  // NOLINT: implicit by design

  [[nodiscard]] bool has_value() const { return !error_.has_value(); }
  explicit operator bool() const { return has_value(); }

  Error& error() & { return *error_; }
  const Error& error() const& { return *error_; }
  Error&& error() && { return std::move(*error_); }

 private:
  std::optional<Error> error_;
};

// Puts a context in front of an error's message and leaves a value alone:
// with_context("cannot load the policy", read_policy(path)).
template <typename T>
[[nodiscard]] Result<T> with_context(std::string_view context, Result<T> result) {
  if (!result) result.error().prepend(context);
  return result;
}

}  // namespace agentctl

// Evaluates a Result: yields its value, or returns its error from the enclosing function.
#define AGENTCTL_TRY(expression)                                       \
  __extension__({                                                      \
    auto agentctl_result_ = (expression);                              \
    if (!agentctl_result_) return std::move(agentctl_result_).error(); \
    std::move(agentctl_result_).value();                               \
  })

// The same for Result<void>, which yields nothing.
#define AGENTCTL_TRY_VOID(expression)                                  \
  do {                                                                 \
    auto agentctl_result_ = (expression);                              \
    if (!agentctl_result_) return std::move(agentctl_result_).error(); \
  } while (false)
