// SPDX-License-Identifier: Apache-2.0
#include "adapters/gitlab/gitlab_code_host.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "adapters/code_host/failure.hpp"

namespace kbase::gitlab {
namespace {

using code_host::Asked;
using code_host::Findings;
using code_host::flag;
using code_host::Inquiry;
using code_host::instant;
using code_host::Json;
using code_host::member;
using code_host::number;
using code_host::Request;
using code_host::text;

constexpr std::size_t kLongestName = 255;
constexpr std::chrono::days kDaysOfCalendar{365};

/// Only administrators can see blocked and banned users.
bool is_public_user(const Json& user) {
  const auto state = text(user, "state").value_or("active");
  return state == "active" || state == "deactivated";
}

/// Reads the part of a profile that is public even if the profile is private.
ports::UserProfile name_of(const Json& user) {
  ports::UserProfile profile;
  profile.username = text(user, "username").value_or("");
  profile.name = text(user, "name");
  profile.avatar_url = text(user, "avatar_url");
  profile.profile_url = text(user, "web_url");
  return profile;
}

/// Reads the response to "Get a single user" of GitLab's users API.
ports::UserProfile profile_of(const Json& user) {
  ports::UserProfile profile = name_of(user);
  profile.bio = text(user, "bio");
  profile.company = text(user, "organization");
  profile.location = text(user, "location");
  profile.website = text(user, "website_url");
  profile.followers = number(user, "followers");
  profile.following = number(user, "following");
  profile.created = instant(user, "created_at");
  return profile;
}

/// Reads the counts by day of a year: {"2026-03-14": 5}.
Findings::Counted read_calendar(const Json& calendar, model::Day today) {
  Findings::Counted counted;
  for (const auto& [text, count] : calendar.items()) {
    const auto day = model::parse_day(text);
    if (day && count.is_number_unsigned()) counted.days.add(*day, count.get<std::uint64_t>());
  }
  counted.first = today - kDaysOfCalendar;
  counted.last = today;
  counted.source = "GitLab's contribution calendar";
  return counted;
}

/// Adds the percentages of one project, all projects with the same weight. The largest is the project's main language.
void add_project_languages(ports::Repository& project, const Json& percentages, Findings& findings) {
  double all = 0;
  double largest = 0;
  const Json& kept = findings.keep(percentages);
  for (const auto& each : kept.items()) all += each.value().is_number() ? each.value().get<double>() : 0;
  for (auto each = kept.begin(); each != kept.end(); ++each) {
    const double part = each->is_number() ? each->get<double>() : 0;
    findings.add_language(each.key(), part / all);
    if (part > largest) project.language = each.key();
    largest = std::max(largest, part);
  }
}

}  // namespace

model::Result<std::unique_ptr<GitlabCodeHost>> GitlabCodeHost::open(ports::HttpClient* http, const ports::Clock& clock,
                                                                    code_host::Options options) {
  options.base_url = code_host::site_of(std::move(options.base_url), "/api/v4");
  return code_host::open_host<GitlabCodeHost>(http, clock, options, {{"Accept", "application/json"}});
}

bool GitlabCodeHost::is_username(std::string_view username) const noexcept {
  // "Limitations on project and group names" (docs.gitlab.com): letters, digits, "_", "-" and "."; not "-" first; not
  // ".", ".git" or ".atom" last.
  constexpr std::array<std::string_view, 3> kEndings{".", ".git", ".atom"};
  return code_host::is_made_of(username, kLongestName, "_-.") && username.front() != '-' &&
         std::none_of(kEndings.begin(), kEndings.end(), [&](auto ending) { return username.ends_with(ending); });
}

std::string GitlabCodeHost::health_path() const {
  return rest() + "/version";  // without a token GitLab returns 401, which shows that it is up
}

std::vector<Request> GitlabCodeHost::first_requests(std::string_view username) const {
  const std::string name(username);
  return {{rest() + "/users?username=" + name, Asked::WithToken, {}},
          {api().path + "/users/" + name + "/calendar.json", Asked::Anonymously, {}}};
}

model::Status GitlabCodeHost::gather(Inquiry& inquiry, std::vector<Inquiry::Ask> first, std::string_view,
                                     Findings& findings) const {
  const auto id = find_user(std::move(first[0]), findings);
  if (!id) return id.error();
  // Uses the id, because GitLab interprets a name of only digits as the id of another user.
  const std::string user = rest() + "/users/" + std::to_string(*id);
  auto details = inquiry.ask({user, Asked::WithToken, {}});
  auto page = inquiry.ask(
      {user + "/projects?visibility=public&order_by=last_activity_at&sort=desc&per_page=100", Asked::WithToken, {}});
  if (const auto told = gather_details(std::move(details), findings); !told) return told.error();
  const auto add = [&](const Json& project) { add_project(project, findings); };
  if (const auto read = read_pages(inquiry, std::move(page), nullptr, findings, add); !read) return read.error();
  const auto calendar = code_host::read_optional(first[1]);
  if (!calendar) return calendar.error();
  if (calendar->document.is_object()) findings.contributions = read_calendar(calendar->document, inquiry.today());

  const auto path_of = [&](const ports::Repository& project) {
    if (!code_host::is_full_name(project.full_name)) return std::string();
    std::string name(project.full_name);
    for (std::size_t slash = 0; (slash = name.find('/', slash)) != name.npos;) name.replace(slash, 1, "%2F");
    return rest() + "/projects/" + name + "/languages";
  };
  const auto add_languages = [&](ports::Repository& project, const Json& percentages) {
    add_project_languages(project, percentages, findings);
  };
  return code_host::read_languages(inquiry.calls(), findings, path_of, add_languages);
}

model::Result<std::uint64_t> GitlabCodeHost::find_user(Inquiry::Ask ask, Findings& findings) const {
  const auto answer = ask.read();
  if (!answer) return answer.error();
  if (answer->status == code_host::kNotFound) return code_host::no_such_user();
  if (const auto ok = code_host::expect_ok(*answer, ask.request()); !ok) return ok.error();
  auto found = code_host::objects_of(*answer);
  if (!found) return found.error();
  const Json& users = findings.keep(*std::move(found));
  if (users.empty() || !is_public_user(users[0])) return code_host::no_such_user();
  findings.profile = name_of(users[0]);
  const auto id = number(users[0], "id");
  if (!id || findings.profile.username.empty()) return code_host::bad_answer("the user has no id or no username");
  return *id;
}

/// Some instances show only the name to anonymous users.
model::Status GitlabCodeHost::gather_details(Inquiry::Ask ask, Findings& findings) const {
  auto told = code_host::read_optional(ask);
  if (!told) return told.error();
  const Json& user = findings.keep(std::move(told->document));
  if (text(user, "username") && !flag(user, "private_profile").value_or(false)) findings.profile = profile_of(user);
  return {};
}

void GitlabCodeHost::add_project(const Json& project, Findings& findings) const {
  // Without a token GitLab omits the visibility, but then shows only public projects.
  const auto visibility = text(project, "visibility");
  const bool is_public = visibility ? *visibility == "public" : api().authorization.empty();
  const auto full_name = text(project, "path_with_namespace");
  const auto name = text(project, "name");
  if (!is_public || !full_name || !name) return;
  ports::Repository row;
  row.name = *name;
  row.full_name = *full_name;
  row.description = text(project, "description");
  row.url = text(project, "web_url");
  row.topics = findings.topics_of(member(project, project.contains("topics") ? "topics" : "tag_list"));
  row.stars = number(project, "star_count");
  row.forks = number(project, "forks_count");
  // A fork has `forked_from_project`, but only in the long form of a project, which also has `visibility`.
  if (project.contains("forked_from_project") || visibility) row.is_fork = project.contains("forked_from_project");
  row.is_archived = flag(project, "archived");
  row.created = instant(project, "created_at");
  row.updated = instant(project, "last_activity_at");
  findings.repositories.push_back(row);
}

}  // namespace kbase::gitlab
