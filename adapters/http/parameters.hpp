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

/// Reads the parameters of one request. The first that is wrong is kept as the error, and everything read after it is
/// its default, so that an endpoint asks for all it knows and then looks once. What is never asked for is ignored.
class Parameters {
 public:
  /// `endpoint` names it in canonical(); `query` is as it was sent.
  Parameters(std::string_view endpoint, std::string_view query) : query_(query), canonical_(endpoint) {}

  /// Decoded, valid UTF-8; nullopt: absent.
  std::optional<std::string> text(std::string_view name);

  /// Decimal digits, saturating at the largest number; not below `minimum`.
  std::uint64_t integer(std::string_view name, std::uint64_t absent, std::uint64_t minimum = 0);

  /// `true` or `false` in any case.
  bool boolean(std::string_view name, bool absent);

  /// The index in `words` of the one that is given; 0: absent.
  std::size_t choice(std::string_view name, std::span<const std::string_view> words);

  /// Which of `words` a list with commas names, a bit each; 0: absent. At most 32 words.
  std::uint32_t words(std::string_view name, std::span<const std::string_view> words);

  /// YYYY-MM-DD; nullopt: absent.
  std::optional<model::Day> day(std::string_view name);

  /// A path parameter as it was sent. What cannot be decoded or is not UTF-8 is an error.
  std::string path_segment(std::string_view name, std::string_view raw);

  const std::optional<model::Error>& error() const noexcept { return error_; }

  /// The request as far as it decides the answer: the endpoint and all that was read, defaults filled in. Two requests
  /// with the same text ask for the same thing.
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
