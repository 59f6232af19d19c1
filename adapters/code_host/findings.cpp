// SPDX-License-Identifier: Apache-2.0
#include "adapters/code_host/findings.hpp"

#include <algorithm>
#include <initializer_list>
#include <set>
#include <utility>

namespace kbase::code_host {

using model::Visit;

namespace {

// Limits of the port. A response that exceeds them is treated as not valid.
constexpr std::size_t kMostTopics = 1000;
constexpr std::size_t kMostLanguages = 1000;
constexpr std::size_t kMostBytes = 7U << 20U;

constexpr std::uint64_t kMostOfADay = std::uint64_t{1} << 32;
/// Limits for the name of a language and for its weight. They are larger than any real value and prevent overflow of
/// sums.
constexpr std::size_t kLongestLanguage = 256;
constexpr double kHeaviest = 1e15;

std::size_t bytes_of(std::initializer_list<std::optional<std::string_view>> texts) {
  std::size_t bytes = 0;
  for (const auto& text : texts) bytes += text.value_or("").size();
  return bytes;
}

std::size_t bytes_of(const ports::UserProfile& profile) {
  return bytes_of({profile.username, profile.name, profile.bio, profile.company, profile.location, profile.website,
                   profile.avatar_url, profile.profile_url});
}

std::size_t bytes_of(const ports::Repository& repository) {
  std::size_t bytes =
      bytes_of({repository.name, repository.full_name, repository.description, repository.url, repository.language});
  for (const std::string_view topic : repository.topics.value_or(model::TextList())) bytes += topic.size();
  return bytes;
}

}  // namespace

void DayCounts::add(model::Day day, std::uint64_t count) {
  std::uint64_t& sum = days_[day];
  sum = std::min(sum + std::min(count, kMostOfADay), kMostOfADay);
}

void DayCounts::tell(model::Day first, model::Day last, ports::UserVisitor& visitor) const {
  for (auto day = days_.lower_bound(first); day != days_.end() && day->first <= last; ++day)
    if (day->second > 0 && visitor.contribution_day(day->first, day->second) == Visit::Stop) return;
}

std::optional<model::TextList> Findings::topics_of(const Json& topics) {
  if (!topics.is_array()) return std::nullopt;
  std::vector<std::string_view> texts;
  for (const Json& topic : topics)
    if (const auto* const text = topic.get_ptr<const std::string*>(); text != nullptr && texts.size() < kMostTopics)
      texts.push_back(*text);
  return keep(std::move(texts));
}

void Findings::add_language(const std::string& name, double weight) {
  const bool has_room = weights_.size() < kMostLanguages || weights_.contains(name);
  const bool has_name = !name.empty() && name.size() <= kLongestLanguage;
  if (has_room && has_name && weight > 0 && weight <= kHeaviest) weights_[name] += weight;
}

bool Findings::fit() const {
  std::size_t bytes = bytes_of(profile);
  for (const ports::Repository& repository : repositories) bytes += bytes_of(repository);
  return bytes <= kMostBytes;
}

void Findings::sort_repositories(std::size_t most) {
  std::stable_sort(repositories.begin(), repositories.end(),
                   [](const auto& left, const auto& right) { return left.updated > right.updated; });
  // A list that changes between two page requests can contain a repository twice.
  std::set<std::string_view> seen;
  std::erase_if(repositories, [&](const auto& repository) { return !seen.insert(repository.full_name).second; });
  if (repositories.size() > most) repositories.resize(most);
}

void Findings::tell(ports::UserVisitor& visitor) const {
  if (visitor.profile(profile) == Visit::Stop) return;
  tell_repositories(visitor);
  tell_contributions(visitor);
  tell_languages(visitor);
}

void Findings::tell_repositories(ports::UserVisitor& visitor) const {
  for (const ports::Repository& repository : repositories)
    if (visitor.repository(repository) == Visit::Stop) return;
}

void Findings::tell_contributions(ports::UserVisitor& visitor) const {
  if (!contributions) return;
  const auto& [first, last, source, days] = *contributions;
  if (visitor.contributions({first, last, source}) == Visit::Continue) days.tell(first, last, visitor);
}

void Findings::tell_languages(ports::UserVisitor& visitor) const {
  std::vector<std::pair<std::string_view, double>> languages(weights_.begin(), weights_.end());
  std::stable_sort(languages.begin(), languages.end(),
                   [](const auto& left, const auto& right) { return left.second > right.second; });
  double all = 0;
  for (const auto& language : languages) all += language.second;
  for (const auto& language : languages)
    if (visitor.language(language.first, language.second / all) == Visit::Stop) return;
}

}  // namespace kbase::code_host
