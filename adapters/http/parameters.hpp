// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "domain/model/day.hpp"
#include "domain/model/error.hpp"

namespace kbase::http {

/// Reader of the parameters of one request. Keeps the first error; an invalid parameter reads as its default. An
/// endpoint can therefore read all its parameters and check error() once. Unknown parameters are ignored. Not
/// thread-safe.
class Parameters {
 public:
  /// `endpoint` is its name in canonical(). `query` is the encoded query string and must outlive this object.
  Parameters(std::string_view endpoint, std::string_view query) : query_(query), canonical_(endpoint) {}

  /// Returns the decoded text, which is valid UTF-8; nullopt if it is absent.
  std::optional<std::string> text(std::string_view name);

  /// Reads decimal digits; saturates at the largest number. A value below `minimum` is an error.
  std::uint64_t integer(std::string_view name, std::uint64_t absent, std::uint64_t minimum = 0);

  /// Reads `true` or `false`, case-insensitive.
  bool boolean(std::string_view name, bool absent);

  /// Returns the index of the value in `words`; 0 if it is absent.
  std::size_t choice(std::string_view name, std::span<const std::string_view> words);

  /// Reads a comma-separated list of `words` (at most 32). Returns a bit per word; 0 if it is absent.
  std::uint32_t words(std::string_view name, std::span<const std::string_view> words);

  /// Reads YYYY-MM-DD; nullopt if it is absent.
  std::optional<model::Day> day(std::string_view name);

  /// Decodes a path parameter. Invalid encoding or invalid UTF-8 is an error.
  std::string path_segment(std::string_view name, std::string_view raw);

  const std::optional<model::Error>& error() const noexcept { return error_; }

  /// Returns the part of the request that determines the reply: the endpoint and all parameters read, including
  /// defaults. Requests with the same text are equivalent.
  const std::string& canonical() const noexcept { return canonical_; }

 private:
  std::optional<std::string> find(std::string_view name);
  void note(std::string_view name, std::string_view value);
  void fail(std::string_view name, std::string reason);

  std::string_view query_;
  std::string canonical_;
  std::optional<model::Error> error_;
};

}  // namespace kbase::http
