// SPDX-License-Identifier: Apache-2.0
#include "adapters/http/parameters.hpp"

#include <algorithm>

#include "adapters/http/syntax.hpp"
#include "adapters/pages/addresses.hpp"
#include "domain/base/function_ref.hpp"
#include "domain/base/similar_words.hpp"
#include "domain/base/text.hpp"

namespace kbase::http {
namespace {

bool is_named(std::string_view encoded, std::string_view name) {
  if (encoded.find_first_of("%+") == std::string_view::npos) return encoded == name;
  return percent_decode(encoded, Plus::Space) == name;
}

void for_each_pair(std::string_view query, FunctionRef<void(std::string_view name, std::string_view value)> visitor) {
  while (!query.empty()) {
    const std::size_t end = std::min(query.find('&'), query.size());
    const std::string_view pair = query.substr(0, end);
    query.remove_prefix(std::min(end + 1, query.size()));
    const std::size_t equals = std::min(pair.find('='), pair.size());
    visitor(pair.substr(0, equals), pair.substr(std::min(equals + 1, pair.size())));
  }
}

/// Whether `given` differs from the name of a parameter by at most two edits, and shares some of its letters.
bool is_misspelled(std::string_view given, std::string_view name) {
  constexpr std::size_t kMostEdits = 2, kLongest = 64;
  if (given.empty() || given.size() > kLongest) return false;
  const std::size_t edits = edit_distance(ascii::to_lower(given), name);
  return edits <= kMostEdits && edits < std::min(given.size(), name.size());
}

std::string join_words(std::span<const std::string_view> words) {
  std::string list;
  for (const std::string_view word : words) list.append(list.empty() ? "" : ", ").append(word);
  return list;
}

}  // namespace

void Parameters::set_error(std::string_view name, std::string reason) {
  if (!error_) error_ = invalid_argument(std::string(name), std::string(name) + " " + std::move(reason));
}

// The length prevents a value from imitating another parameter.
void Parameters::append_canonical(std::string_view name, std::string_view value) {
  canonical_.append("\n").append(name).append(":").append(std::to_string(value.size())).append(":").append(value);
}

/// Returns the encoded values of the parameter.
std::vector<std::string_view> Parameters::find_all(std::string_view name) {
  known_.push_back(name);
  std::vector<std::string_view> values;
  for_each_pair(query_, [&](std::string_view encoded_name, std::string_view value) {
    if (is_named(encoded_name, name)) values.push_back(value);
  });
  return values;
}

const std::optional<Error>& Parameters::error() {
  if (!error_ && !query_.empty()) check_unknown_names();
  return error_;
}

void Parameters::check_unknown_names() {
  for_each_pair(query_, [&](std::string_view encoded_name, std::string_view) {
    const std::string given = percent_decode(encoded_name, Plus::Space).value_or(std::string());
    if (std::find(known_.begin(), known_.end(), given) != known_.end()) return;
    for (const std::string_view name : known_)
      if (is_misspelled(given, name))
        return set_error(given, "is not a parameter; did you mean " + std::string(name) + "?");
  });
}

std::optional<std::string> Parameters::decode(std::string_view name, std::string_view encoded) {
  std::optional<std::string> value = percent_decode(encoded, Plus::Space);
  if (!value) set_error(name, "has an invalid percent-encoding");
  if (!value || utf8::is_valid(*value)) return value;
  set_error(name, "is not valid UTF-8");
  return std::nullopt;
}

std::optional<std::string> Parameters::find(std::string_view name) {
  const std::vector<std::string_view> values = find_all(name);
  if (values.size() > 1) set_error(name, "is given more than once");
  return values.size() == 1 ? decode(name, values.front()) : std::nullopt;
}

std::vector<std::string> Parameters::read_texts(std::string_view name) {
  const std::vector<std::string_view> encoded = find_all(name);
  std::vector<std::string> values;
  if (encoded.size() > kMaxRepetitions)
    set_error(name, "is given more than " + std::to_string(kMaxRepetitions) + " times");
  else
    for (const std::string_view each : encoded)
      if (auto value = decode(name, each); value && !value->empty()) values.push_back(*std::move(value));
  std::string joined;
  for (const std::string& value : values) joined.append(std::to_string(value.size())).append(":").append(value);
  append_canonical(name, joined);
  return values;
}

std::optional<std::string> Parameters::read_text(std::string_view name) {
  std::optional<std::string> value = find(name);
  append_canonical(name, value.value_or(std::string()));
  return value;
}

std::uint64_t Parameters::read_integer(std::string_view name, std::uint64_t absent, std::uint64_t minimum) {
  const std::optional<std::string> value = find(name);
  const std::optional<std::uint64_t> number = value ? parse_decimal(*value) : absent;
  if (!number)
    set_error(name, "must be a whole number in decimal digits");
  else if (*number < minimum)
    set_error(name, "must be at least " + std::to_string(minimum));
  append_canonical(name, std::to_string(number.value_or(absent)));
  return number.value_or(absent);
}

bool Parameters::read_boolean(std::string_view name, bool absent) {
  const std::optional<std::string> value = find(name);
  const bool is_true = value ? equals_lower(*value, "true") : absent;
  if (value && !is_true && !equals_lower(*value, "false")) set_error(name, "must be true or false");
  append_canonical(name, is_true ? "true" : "false");
  return is_true;
}

std::uint32_t Parameters::read_words(std::string_view name, std::span<const std::string_view> words) {
  const std::optional<std::string> value = find(name);
  std::string_view rest = value ? std::string_view(*value) : std::string_view();
  std::uint32_t chosen = 0;
  while (value) {
    const std::size_t end = std::min(rest.find(','), rest.size());
    const auto known = std::find(words.begin(), words.end(), rest.substr(0, end));
    if (known == words.end()) {
      set_error(name, "must be a comma-separated list of " + join_words(words));
      break;
    }
    chosen |= std::uint32_t{1} << (known - words.begin());
    if (end == rest.size()) break;
    rest.remove_prefix(end + 1);
  }
  append_canonical(name, std::to_string(chosen));
  return chosen;
}

std::optional<model::Day> Parameters::read_day(std::string_view name) {
  const std::optional<std::string> value = find(name);
  const std::optional<model::Day> day = value ? model::parse_day(*value) : std::nullopt;
  if (value && !day) set_error(name, "must be a date in the form YYYY-MM-DD");
  append_canonical(name, value.value_or(std::string()));
  return day;
}

std::size_t Parameters::read_choice(std::string_view name, std::span<const std::string_view> words,
                                    std::size_t absent) {
  std::size_t chosen = absent;
  if (const std::optional<std::string> value = find(name)) {
    const auto found = std::find(words.begin(), words.end(), *value);
    if (found == words.end())
      set_error(name, "must be one of " + join_words(words));
    else
      chosen = static_cast<std::size_t>(found - words.begin());
  }
  append_canonical(name, words[chosen]);
  return chosen;
}

model::Sort Parameters::read_sort() { return static_cast<model::Sort>(read_choice("sort", pages::kSortNames)); }

ports::Period Parameters::read_period(ports::Period absent) {
  return static_cast<ports::Period>(read_choice("period", pages::kPeriodNames, static_cast<std::size_t>(absent)));
}

std::string Parameters::read_path_segment(std::string_view name, std::string_view encoded) {
  std::optional<std::string> value = percent_decode(encoded, Plus::Itself);
  if (!value)
    set_error(name, "has an invalid percent-encoding");
  else if (!utf8::is_valid(*value))
    set_error(name, "is not valid UTF-8");
  std::string text = std::move(value).value_or(std::string());
  append_canonical(name, text);
  return text;
}

}  // namespace kbase::http
