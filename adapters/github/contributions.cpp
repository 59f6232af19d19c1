// SPDX-License-Identifier: Apache-2.0
#include "adapters/github/contributions.hpp"

#include <algorithm>
#include <array>

namespace kbase::github {
namespace {

using code_host::Findings;
using code_host::flag;
using code_host::instant;
using code_host::Json;
using code_host::member;
using code_host::number;
using code_host::text;

// The calendar counts what the viewer can see. So the query also asks which counted repositories are private.
constexpr char kQuery[] =
    "query($login:String!){user(login:$login){contributionsCollection{"
    "contributionCalendar{weeks{contributionDays{date contributionCount}}}"
    "commitContributionsByRepository(maxRepositories:100){repository{isPrivate}}"
    "issueContributionsByRepository(maxRepositories:100){repository{isPrivate}}"
    "pullRequestContributionsByRepository(maxRepositories:100){repository{isPrivate}}"
    "pullRequestReviewContributionsByRepository(maxRepositories:100){repository{isPrivate}}"
    "repositoryContributions(first:100){nodes{repository{isPrivate}}}}}}";

constexpr std::chrono::days kDaysOfEvents{30};
constexpr std::chrono::days kLongestPeriod{731};  // a calendar has a year

bool has_private(const Json& contributions) {
  const auto is_private = [](const Json& each) {
    return flag(member(each, "repository"), "isPrivate").value_or(false);
  };
  return contributions.is_array() && std::any_of(contributions.begin(), contributions.end(), is_private);
}

bool shows_private(const Json& collection) {
  constexpr std::array<const char*, 4> kLists{"commitContributionsByRepository", "issueContributionsByRepository",
                                              "pullRequestContributionsByRepository",
                                              "pullRequestReviewContributionsByRepository"};
  return has_private(member(member(collection, "repositoryContributions"), "nodes")) ||
         std::any_of(kLists.begin(), kLists.end(),
                     [&](const char* list) { return has_private(member(collection, list)); });
}

/// Whether the event counts by "What counts as a contribution" (docs.github.com), as far as an event shows it.
bool is_contribution(const Json& event) {
  const auto type = text(event, "type").value_or("");
  const Json& payload = member(event, "payload");
  if (!flag(event, "public").value_or(true)) return false;
  if (type == "PullRequestEvent" || type == "IssuesEvent") return text(payload, "action") == "opened";
  if (type == "CreateEvent") return text(payload, "ref_type") == "repository";
  return type == "PushEvent" || type == "PullRequestReviewEvent";
}

}  // namespace

code_host::Request calendar_request(std::string_view api_path, std::string_view username) {
  // An Enterprise Server has REST at /api/v3 and GraphQL at /api/graphql. Without such a path, GraphQL is at /graphql.
  std::string path(api_path.ends_with("/v3") ? api_path.substr(0, api_path.size() - 3) : api_path);
  const Json body = {{"query", kQuery}, {"variables", {{"login", username}}}};
  return {path.append("/graphql"), code_host::Asked::WithToken, body.dump()};
}

std::optional<Findings::Counted> read_calendar(const Json& answer) {
  const Json& collection = member(member(member(answer, "data"), "user"), "contributionsCollection");
  const Json& weeks = member(member(collection, "contributionCalendar"), "weeks");
  if (!weeks.is_array() || shows_private(collection)) return std::nullopt;
  Findings::Counted counted;
  std::optional<model::Day> first;
  for (const Json& week : weeks) {
    for (const Json& each : member(week, "contributionDays")) {
      const auto day = model::parse_day(text(each, "date").value_or(""));
      if (!day) continue;
      first = std::min(first.value_or(*day), *day);
      counted.last = std::max(counted.last, *day);
      counted.days.add(*day, number(each, "contributionCount").value_or(0));
    }
  }
  if (!first || counted.last - *first > kLongestPeriod) return std::nullopt;
  counted.first = *first;
  counted.source = "GitHub's contribution calendar";
  return counted;
}

Findings::Counted count_events(const Json& events, bool has_more, model::Day today) {
  Findings::Counted counted;
  std::optional<model::Day> earliest;
  for (const Json& event : events) {
    const auto created = instant(event, "created_at");
    if (!created) continue;
    const model::Day day = model::day_of(*created);
    earliest = std::min(earliest.value_or(day), day);
    if (is_contribution(event)) counted.days.add(day, 1);
  }
  counted.first = today - kDaysOfEvents + std::chrono::days(1);
  if (has_more && earliest) counted.first = std::max(counted.first, *earliest + std::chrono::days(1));
  counted.first = std::min(counted.first, today);
  counted.last = today;
  counted.source = "public events of GitHub";
  return counted;
}

}  // namespace kbase::github
