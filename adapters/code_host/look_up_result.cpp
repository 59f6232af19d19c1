// SPDX-License-Identifier: Apache-2.0
#include "adapters/code_host/look_up_result.hpp"

#include <algorithm>
#include <initializer_list>
#include <set>
#include <utility>

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

}  // namespace kbase::code_host
