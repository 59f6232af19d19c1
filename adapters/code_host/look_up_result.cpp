// SPDX-License-Identifier: Apache-2.0
#include "adapters/code_host/look_up_result.hpp"

#include <algorithm>
#include <initializer_list>
#include <set>
#include <string>
#include <utility>

#include "adapters/base/json.hpp"
#include "adapters/code_host/calls.hpp"

namespace kbase::code_host {
namespace {

// Limits of the port. A response that exceeds them is treated as not valid.
constexpr std::size_t kMaxTopics = 1000;
constexpr std::size_t kMaxLanguages = 1000;
constexpr std::size_t kMaxTextBytes = 7U << 20U;

constexpr std::uint64_t kMaxDayCount = std::uint64_t{1} << 32;
/// Limits for the name of a language and for its weight. They are larger than any real value and prevent overflow of
/// sums.
constexpr std::size_t kMaxLanguageBytes = 256;
constexpr double kMaxWeight = 1e15;

std::size_t count_bytes(std::initializer_list<std::optional<std::string_view>> texts) {
  std::size_t bytes = 0;
  for (const auto& text : texts) bytes += text.value_or("").size();
  return bytes;
}

std::size_t count_bytes(const ports::UserProfile& profile) {
  return count_bytes({profile.username, profile.name, profile.bio, profile.company, profile.location, profile.website,
                      profile.avatar_url, profile.profile_url});
}

std::size_t count_bytes(const ports::Repository& repository) {
  std::size_t bytes =
      count_bytes({repository.name, repository.full_name, repository.description, repository.url, repository.language});
  for (const std::string_view topic : repository.topics.value_or(model::TextList())) bytes += topic.size();
  return bytes;
}

/// The largest response is a year of Gitea's heatmap with at most 105,120 values.
constexpr json::Bounds kBounds{.depth = 32, .values = 150'000};
constexpr std::uint64_t kMaxExactInteger = (std::uint64_t{1} << 53) - 1;

/// Parses "+02:00", "-0330" or "Z".
std::optional<std::chrono::minutes> parse_offset(std::string_view text) {
  if (text == "Z" || text == "z") return std::chrono::minutes(0);
  std::string digits(text);
  std::erase(digits, ':');
  const bool is_signed = digits.size() == 5 && (digits[0] == '+' || digits[0] == '-');
  if (!is_signed || digits.find_first_not_of("0123456789", 1) != digits.npos) return std::nullopt;
  const std::chrono::minutes offset(std::stoi(digits.substr(1, 2)) * 60 + std::stoi(digits.substr(3)));
  return digits[0] == '-' ? -offset : offset;
}

}  // namespace

void DayCounts::add(model::Day day, std::uint64_t count) {
  std::uint64_t& sum = days_[day];
  sum = std::min(sum + std::min(count, kMaxDayCount), kMaxDayCount);
}

void DayCounts::visit(model::Day first, model::Day last, ports::UserVisitor& visitor) const {
  for (auto day = days_.lower_bound(first); day != days_.end() && day->first <= last; ++day)
    if (day->second > 0 && visitor.contribution_day(day->first, day->second) == Visit::Stop) return;
}

std::optional<model::TextList> LookUpResult::read_topics(const Json& topics) {
  if (!topics.is_array()) return std::nullopt;
  std::vector<std::string_view> texts;
  for (const Json& topic : topics)
    if (const auto* const text = topic.get_ptr<const std::string*>(); text != nullptr && texts.size() < kMaxTopics)
      texts.push_back(*text);
  return store(std::move(texts));
}

void LookUpResult::add_language(const std::string& name, double weight) {
  const bool has_space = weights_.size() < kMaxLanguages || weights_.contains(name);
  const bool has_name = !name.empty() && name.size() <= kMaxLanguageBytes;
  if (has_space && has_name && weight > 0 && weight <= kMaxWeight) weights_[name] += weight;
}

bool LookUpResult::fits_limits() const {
  std::size_t bytes = count_bytes(profile);
  for (const ports::Repository& repository : repositories) bytes += count_bytes(repository);
  return bytes <= kMaxTextBytes;
}

void LookUpResult::sort_repositories(std::size_t max_count) {
  std::stable_sort(repositories.begin(), repositories.end(),
                   [](const auto& left, const auto& right) { return left.updated > right.updated; });
  // A list that changes between two page requests can contain a repository twice.
  std::set<std::string_view> seen;
  std::erase_if(repositories, [&](const auto& repository) { return !seen.insert(repository.full_name).second; });
  if (repositories.size() > max_count) repositories.resize(max_count);
}

void LookUpResult::visit(ports::UserVisitor& visitor) const {
  if (visitor.profile(profile) == Visit::Stop) return;
  visit_repositories(visitor);
  visit_contributions(visitor);
  visit_languages(visitor);
}

void LookUpResult::visit_repositories(ports::UserVisitor& visitor) const {
  for (const ports::Repository& repository : repositories)
    if (visitor.repository(repository) == Visit::Stop) return;
}

void LookUpResult::visit_contributions(ports::UserVisitor& visitor) const {
  if (!contributions) return;
  const auto& [first, last, source, days] = *contributions;
  if (visitor.contributions({first, last, source}) == Visit::Continue) days.visit(first, last, visitor);
}

void LookUpResult::visit_languages(ports::UserVisitor& visitor) const {
  std::vector<std::pair<std::string_view, double>> languages(weights_.begin(), weights_.end());
  std::stable_sort(languages.begin(), languages.end(),
                   [](const auto& left, const auto& right) { return left.second > right.second; });
  double total = 0;
  for (const auto& language : languages) total += language.second;
  for (const auto& language : languages)
    if (visitor.language(language.first, language.second / total) == Visit::Stop) return;
}

Json parse_document(const Response& response) {
  if (!json::is_within(kBounds, response.body)) return {};
  Json document = Json::parse(response.body, nullptr, /*allow_exceptions=*/false);
  return document.is_discarded() ? Json() : document;
}

Result<Json> parse_object(const Response& response) {
  Json document = parse_document(response);
  if (!document.is_object()) return invalid_response("the response is not a JSON object");
  return document;
}

Result<Json> parse_objects(const Response& response, const char* list) {
  Json document = parse_document(response);
  if (list != nullptr) document = Json(find_member(document, list));
  const auto is_object = [](const Json& element) { return element.is_object(); };
  if (!document.is_array() || !std::all_of(document.begin(), document.end(), is_object))
    return invalid_response("the response is not a JSON array of objects");
  return document;
}

const Json& find_member(const Json& object, const char* name) {
  static const Json null;
  if (!object.is_object()) return null;
  const auto found = object.find(name);
  return found == object.end() ? null : *found;
}

std::optional<std::string_view> read_text(const Json& object, const char* name) {
  const auto* const value = find_member(object, name).get_ptr<const std::string*>();
  if (value == nullptr || value->empty()) return std::nullopt;
  return *value;
}

std::optional<std::uint64_t> read_number(const Json& object, const char* name) {
  const Json& value = find_member(object, name);
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() > kMaxExactInteger) return std::nullopt;
  return value.get<std::uint64_t>();
}

std::optional<bool> read_flag(const Json& object, const char* name) {
  const Json& value = find_member(object, name);
  if (!value.is_boolean()) return std::nullopt;
  return value.get<bool>();
}

std::optional<model::Instant> read_instant(const Json& object, const char* name) {
  const auto value = read_text(object, name);
  return value ? parse_rfc3339(*value) : std::nullopt;
}

std::optional<model::Instant> parse_rfc3339(std::string_view text) {
  constexpr std::size_t kSecondsLength = 19;  // "2026-03-14T12:00:00"
  if (text.size() <= kSecondsLength) return std::nullopt;
  const auto local = model::parse_instant(std::string(text.substr(0, kSecondsLength)) + "Z");
  std::string_view rest = text.substr(kSecondsLength);
  if (rest.front() == '.') rest.remove_prefix(std::min(rest.find_first_not_of("0123456789", 1), rest.size()));
  const auto offset = parse_offset(rest);
  const std::string_view year = text.substr(0, 4);
  // With its offset, the instant may be outside the calendar.
  if (!local || !offset || year == "0000" || year == "9999") return std::nullopt;
  return *local - *offset;
}

}  // namespace kbase::code_host
