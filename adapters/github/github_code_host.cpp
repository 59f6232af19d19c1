// SPDX-License-Identifier: Apache-2.0
#include "adapters/github/github_code_host.hpp"

#include <utility>

#include "adapters/code_host/failure.hpp"
#include "adapters/code_host/github_form.hpp"
#include "adapters/github/contributions.hpp"

namespace kbase::github {
namespace {

using code_host::Asked;
using code_host::Findings;
using code_host::Inquiry;
using code_host::instant;
using code_host::Json;
using code_host::number;
using code_host::Request;
using code_host::text;

constexpr std::size_t kLongestName = 39;

/// Reads the response to "Get a user" of GitHub's REST API.
ports::UserProfile profile_of(const Json& user) {
  ports::UserProfile profile;
  profile.username = text(user, "login").value_or("");
  profile.name = text(user, "name");
  profile.bio = text(user, "bio");
  profile.company = text(user, "company");
  profile.location = text(user, "location");
  profile.website = text(user, "blog");
  profile.avatar_url = text(user, "avatar_url");
  profile.profile_url = text(user, "html_url");
  profile.followers = number(user, "followers");
  profile.following = number(user, "following");
  profile.public_repositories = number(user, "public_repos");
  profile.created = instant(user, "created_at");
  return profile;
}

/// "Internal" repositories of an Enterprise Server are not public.
bool is_internal(const Json& repository) {
  return text(repository, "visibility").value_or("public") != "public";
}

}  // namespace

model::Result<std::unique_ptr<GithubCodeHost>> GithubCodeHost::open(ports::HttpClient* http, const ports::Clock& clock,
                                                                    const code_host::Options& options) {
  return code_host::open_host<GithubCodeHost>(
      http, clock, options, {{"Accept", "application/vnd.github+json"}, {"X-GitHub-Api-Version", "2022-11-28"}});
}

bool GithubCodeHost::is_username(std::string_view username) const noexcept {
  // "Username considerations for external authentication" (docs.github.com): letters, digits and hyphens, 39 at most,
  // and "_" before the short code of an enterprise. Older names may have consecutive hyphens or one at the end.
  return code_host::is_made_of(username, kLongestName, "-_") && username.front() != '-';
}

std::string GithubCodeHost::health_path() const {
  return api().path + "/rate_limit";  // does not count against the rate limit
}

Request GithubCodeHost::events_request(std::string_view username) const {
  return {api().path + "/users/" + std::string(username) + "/events/public?per_page=100", Asked::WithToken, {}};
}

std::vector<Request> GithubCodeHost::first_requests(std::string_view username) const {
  const std::string user = api().path + "/users/" + std::string(username);
  return {{user, Asked::WithToken, {}},
          {user + "/repos?per_page=100&sort=updated&type=owner", Asked::WithToken, {}},
          asks_for_calendar() ? calendar_request(api().path, username) : events_request(username)};
}

model::Status GithubCodeHost::gather(Inquiry& inquiry, std::vector<Inquiry::Ask> first, std::string_view username,
                                     Findings& findings) const {
  auto user = code_host::read_user(first[0]);
  if (!user) return user.error();
  findings.profile = profile_of(findings.keep(*std::move(user)));
  if (findings.profile.username.empty()) return code_host::bad_answer("the user has no login");

  const auto add = [&](const Json& repository) {
    if (!is_internal(repository)) code_host::add_repository(repository, "stargazers_count", findings);
  };
  if (const auto read = read_pages(inquiry, std::move(first[1]), nullptr, findings, add); !read) return read.error();
  if (const auto read = gather_contributions(inquiry, std::move(first[2]), username, findings); !read)
    return read.error();
  return code_host::read_byte_counts(inquiry.calls(), api().path, findings);
}

model::Status GithubCodeHost::gather_contributions(Inquiry& inquiry, Inquiry::Ask ask, std::string_view username,
                                                   Findings& findings) const {
  if (asks_for_calendar()) {
    const auto calendar = code_host::read_optional(ask);
    if (!calendar) return calendar.error();
    findings.contributions = read_calendar(calendar->document);
    if (findings.contributions || inquiry.calls().left() == 0) return {};
    ask = inquiry.ask(events_request(username));
  }
  const auto events = code_host::read_optional(ask);
  if (!events) return events.error();
  if (events->document.is_array())
    findings.contributions = count_events(events->document, events->has_more, inquiry.today());
  return {};
}

}  // namespace kbase::github
