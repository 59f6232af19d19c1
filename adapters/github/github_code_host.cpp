// SPDX-License-Identifier: Apache-2.0
#include "adapters/github/github_code_host.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "adapters/code_host/calls.hpp"
#include "adapters/code_host/look_up_result.hpp"
#include "domain/base/result.hpp"

namespace kbase::github {
namespace {

/// Returns a GraphQL request for the calendar of the profile, which also asks whether the token can see contributions
/// to private repositories. `api_path` is the path of the REST API.
code_host::Request make_calendar_request(std::string_view api_path, std::string_view username);

/// Reads the calendar from the response of GraphQL. nullopt: it has none, for example for an organization, or it may
/// count contributions that are not public.
std::optional<code_host::LookUpResult::Contributions> read_calendar(const code_host::Json& response);

/// Counts public events, which GitHub keeps for 30 days: pushes, opened issues and pull requests, reviews, new
/// repositories. `has_more`: `events` is not the complete list, so the earliest day in it is incomplete and is left
/// out.
code_host::LookUpResult::Contributions count_events(const code_host::Json& events, bool has_more, model::Day today);

using namespace code_host;

// The calendar counts what the viewer can see. So the query also asks which counted repositories are private.
constexpr char kQuery[] =
    "query($login:String!){user(login:$login){contributionsCollection{"
    "contributionCalendar{weeks{contributionDays{date contributionCount}}}"
    "commitContributionsByRepository(maxRepositories:100){repository{isPrivate}}"
    "issueContributionsByRepository(maxRepositories:100){repository{isPrivate}}"
    "pullRequestContributionsByRepository(maxRepositories:100){repository{isPrivate}}"
    "pullRequestReviewContributionsByRepository(maxRepositories:100){repository{isPrivate}}"
    "repositoryContributions(first:100){nodes{repository{isPrivate}}}}}}";

constexpr std::chrono::days kEventDays{30};
constexpr std::chrono::days kMaxPeriod{731};  // a calendar has a year

bool has_private(const Json& contributions) {
  const auto is_private = [](const Json& each) {
    return read_flag(find_member(each, "repository"), "isPrivate").value_or(false);
  };
  return contributions.is_array() && std::any_of(contributions.begin(), contributions.end(), is_private);
}

bool includes_private(const Json& collection) {
  constexpr std::array<const char*, 4> kLists{"commitContributionsByRepository", "issueContributionsByRepository",
                                              "pullRequestContributionsByRepository",
                                              "pullRequestReviewContributionsByRepository"};
  return has_private(find_member(find_member(collection, "repositoryContributions"), "nodes")) ||
         std::any_of(kLists.begin(), kLists.end(),
                     [&](const char* list) { return has_private(find_member(collection, list)); });
}

/// Whether the event counts by "What counts as a contribution" (docs.github.com), as far as an event shows it.
bool is_contribution(const Json& event) {
  const auto type = read_text(event, "type").value_or("");
  const Json& payload = find_member(event, "payload");
  if (!read_flag(event, "public").value_or(true)) return false;
  if (type == "PullRequestEvent" || type == "IssuesEvent") return read_text(payload, "action") == "opened";
  if (type == "CreateEvent") return read_text(payload, "ref_type") == "repository";
  return type == "PushEvent" || type == "PullRequestReviewEvent";
}

code_host::Request make_calendar_request(std::string_view api_path, std::string_view username) {
  // An Enterprise Server has REST at /api/v3 and GraphQL at /api/graphql. Without such a path, GraphQL is at /graphql.
  std::string path(api_path.ends_with("/v3") ? api_path.substr(0, api_path.size() - 3) : api_path);
  const Json body = {{"query", kQuery}, {"variables", {{"login", username}}}};
  return {path.append("/graphql"), code_host::Auth::Token, body.dump()};
}

std::optional<LookUpResult::Contributions> read_calendar(const Json& response) {
  const Json& collection = find_member(find_member(find_member(response, "data"), "user"), "contributionsCollection");
  const Json& weeks = find_member(find_member(collection, "contributionCalendar"), "weeks");
  if (!weeks.is_array() || includes_private(collection)) return std::nullopt;
  LookUpResult::Contributions contributions;
  std::optional<model::Day> first;
  for (const Json& week : weeks) {
    for (const Json& each : find_member(week, "contributionDays")) {
      const auto day = model::parse_day(read_text(each, "date").value_or(""));
      if (!day) continue;
      first = std::min(first.value_or(*day), *day);
      contributions.last = std::max(contributions.last, *day);
      contributions.days.add(*day, read_number(each, "contributionCount").value_or(0));
    }
  }
  if (!first || contributions.last - *first > kMaxPeriod) return std::nullopt;
  contributions.first = *first;
  contributions.source = "GitHub's contribution calendar";
  return contributions;
}

LookUpResult::Contributions count_events(const Json& events, bool has_more, model::Day today) {
  LookUpResult::Contributions contributions;
  std::optional<model::Day> earliest;
  for (const Json& event : events) {
    const auto created = read_instant(event, "created_at");
    if (!created) continue;
    const model::Day day = model::day_of(*created);
    earliest = std::min(earliest.value_or(day), day);
    if (is_contribution(event)) contributions.days.add(day, 1);
  }
  contributions.first = today - kEventDays + std::chrono::days(1);
  if (has_more && earliest) contributions.first = std::max(contributions.first, *earliest + std::chrono::days(1));
  contributions.first = std::min(contributions.first, today);
  contributions.last = today;
  contributions.source = "public events of GitHub";
  return contributions;
}

using code_host::Auth;
using code_host::Json;
using code_host::LookUpResult;
using code_host::read_instant;
using code_host::read_number;
using code_host::read_text;
using code_host::Request;
using code_host::ValidatedCalls;

constexpr std::size_t kMaxNameLength = 39;

/// Reads the response to "Get a user" of GitHub's REST API.
ports::UserProfile read_profile(const Json& user) {
  ports::UserProfile profile;
  profile.username = read_text(user, "login").value_or("");
  profile.name = read_text(user, "name");
  profile.bio = read_text(user, "bio");
  profile.company = read_text(user, "company");
  profile.location = read_text(user, "location");
  profile.website = read_text(user, "blog");
  profile.avatar_url = read_text(user, "avatar_url");
  profile.profile_url = read_text(user, "html_url");
  profile.followers = read_number(user, "followers");
  profile.following = read_number(user, "following");
  profile.public_repositories = read_number(user, "public_repos");
  profile.created = read_instant(user, "created_at");
  return profile;
}

/// "Internal" repositories of an Enterprise Server are not public.
bool is_internal(const Json& repository) { return read_text(repository, "visibility").value_or("public") != "public"; }

}  // namespace

Result<std::unique_ptr<GithubCodeHost>> GithubCodeHost::open(ports::HttpClient* http, const ports::Clock& clock,
                                                             const code_host::Options& options) {
  return code_host::open_host<GithubCodeHost>(
      http, clock, options, {{"Accept", "application/vnd.github+json"}, {"X-GitHub-Api-Version", "2022-11-28"}});
}

bool GithubCodeHost::is_username(std::string_view username) const noexcept {
  // "Username considerations for external authentication" (docs.github.com): letters, digits and hyphens, 39 at most,
  // and "_" before the short code of an enterprise. Older names may have consecutive hyphens or one at the end.
  return code_host::consists_of(username, kMaxNameLength, "-_") && username.front() != '-';
}

std::string GithubCodeHost::health_path() const {
  return api().path + "/rate_limit";  // does not count against the rate limit
}

Request GithubCodeHost::make_events_request(std::string_view username) const {
  return {api().path + "/users/" + std::string(username) + "/events/public?per_page=100", Auth::Token, {}};
}

std::vector<Request> GithubCodeHost::first_requests(std::string_view username) const {
  const std::string user = api().path + "/users/" + std::string(username);
  return {{user, Auth::Token, {}},
          {user + "/repos?per_page=100&sort=updated&type=owner", Auth::Token, {}},
          uses_calendar() ? make_calendar_request(api().path, username) : make_events_request(username)};
}

Status GithubCodeHost::collect(ValidatedCalls& validated, std::vector<ValidatedCalls::TrackedRequest> first,
                               std::string_view username, LookUpResult& result) const {
  auto user = KBASE_TRY(code_host::read_user(first[0]));
  result.profile = read_profile(result.store(std::move(user)));
  if (result.profile.username.empty()) return code_host::invalid_response("the user has no login");

  const auto add = [&](const Json& repository) {
    if (!is_internal(repository)) code_host::add_repository(repository, "stargazers_count", result);
  };
  KBASE_TRY(read_pages(validated, std::move(first[1]), nullptr, result, add));
  KBASE_TRY(collect_contributions(validated, std::move(first[2]), username, result));
  return code_host::read_byte_counts(validated.calls(), api().path, result);
}

Status GithubCodeHost::collect_contributions(ValidatedCalls& validated, ValidatedCalls::TrackedRequest start,
                                             std::string_view username, LookUpResult& result) const {
  if (uses_calendar()) {
    const auto calendar = KBASE_TRY(code_host::read_optional(validated.calls(), start));
    result.contributions = read_calendar(calendar.document);
    if (result.contributions || validated.calls().remaining() == 0) return {};
    start = validated.start(make_events_request(username));
  }
  const auto events = KBASE_TRY(code_host::read_optional(validated.calls(), start));
  if (events.document.is_array())
    result.contributions = count_events(events.document, events.has_more, validated.today());
  return {};
}

}  // namespace kbase::github
