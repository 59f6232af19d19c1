// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "domain/base/result.hpp"
#include "domain/model/day.hpp"
#include "domain/model/query.hpp"
#include "ports/driving/catalog.hpp"

namespace kbase::http {

/// Reader of the parameters of one request. Keeps the first error; an invalid parameter reads as its default. An
/// endpoint can therefore read all its parameters and check error() once. Not thread-safe.
class Parameters {
 public:
  /// `endpoint` is its name in canonical(). `query` is the encoded query string and must outlive this object.
  Parameters(std::string_view endpoint, std::string_view query) : query_(query), canonical_(endpoint) {}

  /// Returns the decoded text, which is valid UTF-8; nullopt if it is absent.
  std::optional<std::string> read_text(std::string_view name);

  /// Returns the decoded texts of a parameter that may be repeated, without empty ones. More than kMaxRepetitions are
  /// an error.
  std::vector<std::string> read_texts(std::string_view name);
  static constexpr std::size_t kMaxRepetitions = 100;

  /// Reads decimal digits; saturates at the largest number. A value below `minimum` is an error.
  std::uint64_t read_integer(std::string_view name, std::uint64_t absent, std::uint64_t minimum = 0);

  /// Reads `true` or `false`, case-insensitive.
  bool read_boolean(std::string_view name, bool absent);

  /// Returns the index of the value in `words`.
  std::size_t read_choice(std::string_view name, std::span<const std::string_view> words, std::size_t absent = 0);

  /// Reads the parameters `sort` and `period`.
  model::Sort read_sort();
  ports::Period read_period(ports::Period absent);

  /// Reads a comma-separated list of `words` (at most 32). Returns a bit per word; 0 if it is absent.
  std::uint32_t read_words(std::string_view name, std::span<const std::string_view> words);

  /// Reads YYYY-MM-DD; nullopt if it is absent.
  std::optional<model::Day> read_day(std::string_view name);

  /// Decodes a path parameter. Invalid encoding or invalid UTF-8 is an error.
  std::string read_path_segment(std::string_view name, std::string_view encoded);

  /// Returns the first error; call it when all parameters were read. A parameter that was not read is an error if its
  /// name is similar to that of one that was: a filter that is misspelled must not be ignored. Any other is ignored.
  const std::optional<Error>& error();

  /// Returns the part of the request that determines the reply: the endpoint and all parameters read, including
  /// defaults. Requests with the same text are equivalent.
  const std::string& canonical() const noexcept { return canonical_; }

 private:
  std::vector<std::string_view> find_all(std::string_view name);
  void check_unknown_names();
  std::optional<std::string> find(std::string_view name);
  std::optional<std::string> decode(std::string_view name, std::string_view encoded);
  void append_canonical(std::string_view name, std::string_view value);
  void set_error(std::string_view name, std::string reason);

  std::string_view query_;
  std::string canonical_;
  std::vector<std::string_view> known_;  // names that were read
  std::optional<Error> error_;
};

/// Selection of the members of each row in a response.
class Fields {
 public:
  /// Reads the parameter `fields`, a subset of `names`. Selects all if it is absent. `names` must outlive the result.
  static Fields read(Parameters& parameters, std::span<const std::string_view> names) {
    return {names, parameters.read_words("fields", names)};
  }

  bool includes(std::string_view name) const { return chosen_ == 0 || is_named(name); }

  /// Returns whether the client named the member explicitly.
  bool is_named(std::string_view name) const {
    const auto known = std::find(names_.begin(), names_.end(), name);
    return known != names_.end() && (chosen_ >> (known - names_.begin()) & 1) != 0;
  }

 private:
  Fields(std::span<const std::string_view> names, std::uint32_t chosen) : names_(names), chosen_(chosen) {}

  std::span<const std::string_view> names_;
  std::uint32_t chosen_;
};

}  // namespace kbase::http
