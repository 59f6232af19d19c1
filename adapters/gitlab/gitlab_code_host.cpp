// SPDX-License-Identifier: Apache-2.0
#include "adapters/gitlab/gitlab_code_host.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "adapters/code_host/calls.hpp"
#include "domain/base/result.hpp"

namespace kbase::gitlab {
namespace {

using namespace code_host;

constexpr std::size_t kMaxNameLength = 255;
constexpr std::chrono::days kCalendarDays{365};

/// Only administrators can see blocked and banned users.
bool is_public_user(const Json& user) {
  const auto state = read_text(user, "state").value_or("active");
  return state == "active" || state == "deactivated";
}

/// Reads the part of a profile that is public even if the profile is private.
ports::UserProfile read_public_profile(const Json& user) {
  ports::UserProfile profile;
  profile.username = read_text(user, "username").value_or("");
  profile.name = read_text(user, "name");
  profile.avatar_url = read_text(user, "avatar_url");
  profile.profile_url = read_text(user, "web_url");
  return profile;
}

/// Reads the response to "Get a single user" of GitLab's users API.
ports::UserProfile read_profile(const Json& user) {
  ports::UserProfile profile = read_public_profile(user);
  profile.bio = read_text(user, "bio");
  profile.company = read_text(user, "organization");
  profile.location = read_text(user, "location");
  profile.website = read_text(user, "website_url");
  profile.followers = read_number(user, "followers");
  profile.following = read_number(user, "following");
  profile.created = read_instant(user, "created_at");
  return profile;
}

/// Reads the counts by day of a year: {"2026-03-14": 5}.
LookUpResult::Contributions read_calendar(const Json& calendar, model::Day today) {
  LookUpResult::Contributions contributions;
  for (const auto& [text, count] : calendar.items()) {
    const auto day = model::parse_day(text);
    if (day && count.is_number_unsigned()) contributions.days.add(*day, count.get<std::uint64_t>());
  }
  contributions.first = today - kCalendarDays;
  contributions.last = today;
  contributions.source = "GitLab's contribution calendar";
  return contributions;
}

/// Adds the percentages of one project, all projects with the same weight. The largest is the project's main language.
void add_project_languages(ports::Repository& project, const Json& percentages, LookUpResult& result) {
  double total = 0;
  double largest = 0;
  const Json& stored = result.store(percentages);
  for (const auto& each : stored.items()) total += each.value().is_number() ? each.value().get<double>() : 0;
  for (auto each = stored.begin(); each != stored.end(); ++each) {
    const double part = each->is_number() ? each->get<double>() : 0;
    result.add_language(each.key(), part / total);
    if (part > largest) project.language = each.key();
    largest = std::max(largest, part);
  }
}

}  // namespace

Result<std::unique_ptr<GitlabCodeHost>> GitlabCodeHost::open(ports::HttpClient* http, const ports::Clock& clock,
                                                             code_host::Options options) {
  options.base_url = code_host::strip_api_path(std::move(options.base_url), "/api/v4");
  return code_host::open_host<GitlabCodeHost>(http, clock, options, {{"Accept", "application/json"}});
}

bool GitlabCodeHost::is_username(std::string_view username) const noexcept {
  // "Limitations on project and group names" (docs.gitlab.com): letters, digits, "_", "-" and "."; not "-" first; not
  // ".", ".git" or ".atom" last.
  constexpr std::array<std::string_view, 3> kEndings{".", ".git", ".atom"};
  return code_host::consists_of(username, kMaxNameLength, "_-.") && username.front() != '-' &&
         std::none_of(kEndings.begin(), kEndings.end(), [&](auto suffix) { return username.ends_with(suffix); });
}

std::string GitlabCodeHost::health_path() const {
  return api_path() + "/version";  // without a token GitLab returns 401, which shows that it is up
}

std::vector<Request> GitlabCodeHost::first_requests(std::string_view username) const {
  const std::string name(username);
  return {{api_path() + "/users?username=" + name, Auth::Token, {}},
          {api().path + "/users/" + name + "/calendar.json", Auth::Anonymous, {}}};
}

Status GitlabCodeHost::collect(ValidatedCalls& validated, std::vector<ValidatedCalls::TrackedRequest> first,
                               std::string_view, LookUpResult& result) const {
  const auto id = KBASE_TRY(find_user(std::move(first[0]), result));
  // Uses the id, because GitLab interprets a name of only digits as the id of another user.
  const std::string user = api_path() + "/users/" + std::to_string(id);
  auto details = validated.start({user, Auth::Token, {}});
  auto page = validated.start(
      {user + "/projects?visibility=public&order_by=last_activity_at&sort=desc&per_page=100", Auth::Token, {}});
  KBASE_TRY(collect_details(validated.calls(), std::move(details), result));
  const auto add = [&](const Json& project) { add_project(project, result); };
  KBASE_TRY(read_pages(validated, std::move(page), nullptr, result, add));
  const auto calendar = KBASE_TRY(code_host::read_optional(validated.calls(), first[1]));
  if (calendar.document.is_object()) result.contributions = read_calendar(calendar.document, validated.today());

  const auto path_of = [&](const ports::Repository& project) {
    if (!code_host::is_full_name(project.full_name)) return std::string();
    std::string name(project.full_name);
    for (std::size_t slash = 0; (slash = name.find('/', slash)) != name.npos;) name.replace(slash, 1, "%2F");
    return api_path() + "/projects/" + name + "/languages";
  };
  const auto add_languages = [&](ports::Repository& project, const Json& percentages) {
    add_project_languages(project, percentages, result);
  };
  return code_host::read_languages(validated.calls(), result, path_of, add_languages);
}

Result<std::uint64_t> GitlabCodeHost::find_user(ValidatedCalls::TrackedRequest start, LookUpResult& result) const {
  const auto response = KBASE_TRY(start.read());
  if (response.status == code_host::kNotFound) return code_host::user_not_found();
  KBASE_TRY(code_host::expect_ok(response, start.request()));
  auto found = KBASE_TRY(code_host::parse_objects(response));
  const Json& users = result.store(std::move(found));
  if (users.empty() || !is_public_user(users[0])) return code_host::user_not_found();
  result.profile = read_public_profile(users[0]);
  const auto id = read_number(users[0], "id");
  if (!id || result.profile.username.empty()) return code_host::invalid_response("the user has no id or no username");
  return *id;
}

/// Some instances show only the name to anonymous users.
Status GitlabCodeHost::collect_details(code_host::Calls& calls, ValidatedCalls::TrackedRequest start,
                                       LookUpResult& result) const {
  auto details = KBASE_TRY(code_host::read_optional(calls, start));
  const Json& user = result.store(std::move(details.document));
  if (read_text(user, "username") && !read_flag(user, "private_profile").value_or(false))
    result.profile = read_profile(user);
  return {};
}

void GitlabCodeHost::add_project(const Json& project, LookUpResult& result) const {
  // Without a token GitLab omits the visibility, but then shows only public projects.
  const auto visibility = read_text(project, "visibility");
  const bool is_public = visibility ? *visibility == "public" : api().authorization.empty();
  const auto full_name = read_text(project, "path_with_namespace");
  const auto name = read_text(project, "name");
  if (!is_public || !full_name || !name) return;
  ports::Repository row;
  row.name = *name;
  row.full_name = *full_name;
  row.description = read_text(project, "description");
  row.url = read_text(project, "web_url");
  row.topics = result.read_topics(find_member(project, project.contains("topics") ? "topics" : "tag_list"));
  row.stars = read_number(project, "star_count");
  row.forks = read_number(project, "forks_count");
  // A fork has `forked_from_project`, but only in the long form of a project, which also has `visibility`.
  if (project.contains("forked_from_project") || visibility) row.is_fork = project.contains("forked_from_project");
  row.is_archived = read_flag(project, "archived");
  row.created = read_instant(project, "created_at");
  row.updated = read_instant(project, "last_activity_at");
  result.repositories.push_back(row);
}

}  // namespace kbase::gitlab
