// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace kbase {

/// Error category, as far as callers handle errors differently. The names are those of the plugin header. The HTTP and
/// command-line layers alone map them to status codes, exit codes and messages.
enum class ErrorCode {
  InvalidArgument,  ///< invalid input; `Error::parameter` names the parameter if it has a name
  NotFound,
  Conflict,     ///< another process holds a lock or lease that this call needs (another import is running)
  Unavailable,  ///< the service or store is down or at its limit; a retry may succeed
  NoMemory,
  Deadline,  ///< `Call::deadline` passed, or a call with `is_quick` was not quick
  BadUpstream,
  Cancelled,    ///< the client disconnected or the operation was interrupted
  Unsupported,  ///< the implementation does not support this function
  Gone,         ///< the requested data was deleted (the changes feed before its oldest tombstone)
  Corrupt,      ///< the stored data is inconsistent
  Internal,
};

/// The code's name as used in logs and plugin reports.
std::string_view name_of(ErrorCode code);

struct Error {
  ErrorCode code = ErrorCode::Internal;
  std::string message = {};                  ///< for the client; contains no internal details
  std::string detail = {};                   ///< for the log: the cause, outermost layer first
  std::string parameter = {};                ///< the wrong parameter of InvalidArgument, empty otherwise
  std::chrono::milliseconds retry_after{0};  ///< 0: unknown

  /// Returns a copy whose `detail` is "`phrase`: cause", where `phrase` is what the calling layer was doing. The cause
  /// is the previous detail, or the message if the detail is empty.
  Error during(std::string_view phrase) const;
};

inline Error invalid_argument(std::string parameter, std::string reason) {
  return {ErrorCode::InvalidArgument, std::move(reason), {}, std::move(parameter)};
}

/// Either a value or an Error. Subset of C++23's std::expected<T, Error> with the same names. Access to the absent
/// alternative is a programming error (asserted).
template <class T> class [[nodiscard]] Result {
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

  const Error& error() const& { return *std::get_if<1>(&checked(1)); }
  Error&& error() && { return std::move(*std::get_if<1>(&checked(1))); }

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
template <> class [[nodiscard]] Result<void> {
 public:
  Result() noexcept {}  // user-provided: `= default` would zero the unused Error in every `return {}`
  Result(Error error) : error_(std::move(error)) {}  // NOLINT: an Error is a Result

  bool has_value() const noexcept { return !error_.has_value(); }
  explicit operator bool() const noexcept { return has_value(); }

  void value() const { assert(has_value()); }
  const Error& error() const& {
    assert(error_.has_value());
    return *error_;
  }
  Error&& error() && {
    assert(error_.has_value());
    return std::move(*error_);
  }

 private:
  std::optional<Error> error_;
};

using Status = Result<void>;

}  // namespace kbase

#define KBASE_TRY_AS(result, ...)       \
  __extension__({                       \
    auto result = (__VA_ARGS__);        \
    if (!result) [[unlikely]]           \
      return std::move(result).error(); \
    std::move(result).value();          \
  })
#define KBASE_TRY_NUMBERED(number, ...) KBASE_TRY_AS(kbase_try_##number, __VA_ARGS__)
#define KBASE_TRY_EXPANDED(number, ...) KBASE_TRY_NUMBERED(number, __VA_ARGS__)

/// Evaluates an expression that is a Result. If it failed, returns its Error from the calling function; otherwise the
/// value of the macro is the value of the Result. Use it as a whole statement or initializer only: a `return` out of a
/// larger expression would skip the destructors of its temporaries. A statement expression of GCC and Clang.
#define KBASE_TRY(...) KBASE_TRY_EXPANDED(__COUNTER__, __VA_ARGS__)
