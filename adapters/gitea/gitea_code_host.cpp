// SPDX-License-Identifier: Apache-2.0
#include "adapters/gitea/gitea_code_host.hpp"

#include <utility>

#include "adapters/code_host/failure.hpp"
#include "adapters/code_host/github_form.hpp"

namespace kbase::gitea {
namespace {

using code_host::Asked;
using code_host::Findings;
using code_host::flag;
using code_host::Inquiry;
using code_host::instant;
using code_host::Json;
using code_host::number;
using code_host::Request;
using code_host::text;

constexpr std::size_t kLongestName = 40;
constexpr std::chrono::days kDaysOfHeatmap{365};
constexpr std::string_view kSearch = "search";  // the API has the endpoint /users/search, so no user has this name

/// Reads the response to "Get a user" of Gitea's API.
ports::UserProfile profile_of(const Json& user) {
  ports::UserProfile profile;
  profile.username = text(user, "login").value_or("");
  profile.name = text(user, "full_name");
  profile.bio = text(user, "description");
  profile.location = text(user, "location");
  profile.website = text(user, "website");
  profile.avatar_url = text(user, "avatar_url");
  profile.profile_url = text(user, "html_url");
  profile.followers = number(user, "followers_count");
  profile.following = number(user, "following_count");
  profile.created = instant(user, "created");
  return profile;
}

/// "Internal" repositories belong to a user or an organization that only members can see.
bool is_internal(const Json& repository) {
  return flag(repository, "internal").value_or(false);
}

/// Reads the heatmap, which has a count for each quarter of an hour with contributions.
Findings::Counted read_heatmap(const Json& heatmap, model::Day today) {
  Findings::Counted counted;
  for (const Json& each : heatmap) {
    const auto second = number(each, "timestamp");
    const auto count = number(each, "contributions");
    if (second && count && *second < INT32_MAX)
      counted.days.add(model::day_of(model::Instant(std::chrono::seconds(*second))), *count);
  }
  counted.first = today - kDaysOfHeatmap;
  counted.last = today;
  counted.source = "Gitea's heatmap";
  return counted;
}

}  // namespace

model::Result<std::unique_ptr<GiteaCodeHost>> GiteaCodeHost::open(ports::HttpClient* http, const ports::Clock& clock,
                                                                  code_host::Options options) {
  options.base_url = code_host::site_of(std::move(options.base_url), "/api/v1");
  return code_host::open_host<GiteaCodeHost>(http, clock, options, {{"Accept", "application/json"}});
}

bool GiteaCodeHost::is_username(std::string_view username) const noexcept {
  // modules/validation of Gitea and Forgejo: letters, digits, "-", "." and "_", first a letter or a digit, 40 at most.
  // A newer rule forbids consecutive signs, but older names may have them.
  return code_host::is_made_of(username, kLongestName, "-._") && code_host::is_made_of(username.substr(0, 1), 1, "") &&
         username != kSearch;
}

std::string GiteaCodeHost::health_path() const {
  return rest() + "/version";
}

std::vector<Request> GiteaCodeHost::first_requests(std::string_view username) const {
  const std::string user = rest() + "/users/" + std::string(username);
  return {{user, Asked::WithToken, {}}, {user + "/heatmap", Asked::Anonymously, {}}};
}

model::Status GiteaCodeHost::gather(Inquiry& inquiry, std::vector<Inquiry::Ask> first, std::string_view,
                                    Findings& findings) const {
  auto read = code_host::read_user(first[0]);
  if (!read) return read.error();
  const Json& user = findings.keep(*std::move(read));
  if (text(user, "visibility").value_or("public") != "public") return code_host::no_such_user();
  findings.profile = profile_of(user);
  const auto id = number(user, "id");
  if (!id || findings.profile.username.empty()) return code_host::bad_answer("the user has no id or no login");

  // /users/{name}/repos always lists the oldest first. The search can be sorted.
  auto page = inquiry.ask({rest() + "/repos/search?uid=" + std::to_string(*id) +
                               "&exclusive=true&private=false&sort=updated&order=desc&limit=50",
                           Asked::WithToken,
                           {}});
  const auto add = [&](const Json& repository) {
    if (!is_internal(repository)) code_host::add_repository(repository, "stars_count", findings);
  };
  if (const auto pages = read_pages(inquiry, std::move(page), "data", findings, add); !pages) return pages.error();
  const auto heatmap = code_host::read_optional(first[1]);
  if (!heatmap) return heatmap.error();
  if (heatmap->document.is_array()) findings.contributions = read_heatmap(heatmap->document, inquiry.today());

  return code_host::read_byte_counts(inquiry.calls(), rest(), findings);
}

}  // namespace kbase::gitea
