// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>
#include <optional>
#include <utility>
#include <variant>

#include "domain/model/error.hpp"

namespace kbase::model {

/// Either a value or an Error. Subset of C++23's std::expected<T, Error> with the same names. Access to the absent
/// alternative is a programming error (asserted).
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : outcome_(std::in_place_index<0>, std::move(value)) {}      // NOLINT: a T is a Result
  Result(Error error) : outcome_(std::in_place_index<1>, std::move(error)) {}  // NOLINT: so is an Error

  bool has_value() const noexcept { return outcome_.index() == 0; }
  explicit operator bool() const noexcept { return has_value(); }

  T& value() & { return *std::get_if<0>(&checked(0)); }
  const T& value() const& { return *std::get_if<0>(&checked(0)); }
  T&& value() && { return std::move(value()); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(value()); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  const Error& error() const { return *std::get_if<1>(&checked(1)); }

 private:
  std::variant<T, Error>& checked(std::size_t side) {
    assert(outcome_.index() == side);
    (void)side;
    return outcome_;
  }
  const std::variant<T, Error>& checked(std::size_t side) const {
    assert(outcome_.index() == side);
    (void)side;
    return outcome_;
  }

  std::variant<T, Error> outcome_;
};

/// Success without a value, or an Error.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}  // NOLINT: an Error is a Result

  bool has_value() const noexcept { return !error_.has_value(); }
  explicit operator bool() const noexcept { return has_value(); }

  const Error& error() const {
    assert(error_.has_value());
    return *error_;
  }

 private:
  std::optional<Error> error_;
};

using Status = Result<void>;

}  // namespace kbase::model
