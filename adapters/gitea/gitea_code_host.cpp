// SPDX-License-Identifier: Apache-2.0
#include "adapters/gitea/gitea_code_host.hpp"

#include <utility>

#include "adapters/code_host/calls.hpp"
#include "adapters/code_host/rest_code_host.hpp"
#include "domain/base/result.hpp"

namespace kbase::gitea {
namespace {

using namespace code_host;

constexpr std::size_t kMaxNameLength = 40;
constexpr std::chrono::days kHeatmapDays{365};
constexpr std::string_view kSearch = "search";  // the API has the endpoint /users/search, so no user has this name

/// Reads the response to "Get a user" of Gitea's API.
ports::UserProfile read_profile(const Json& user) {
  ports::UserProfile profile;
  profile.username = read_text(user, "login").value_or("");
  profile.name = read_text(user, "full_name");
  profile.bio = read_text(user, "description");
  profile.location = read_text(user, "location");
  profile.website = read_text(user, "website");
  profile.avatar_url = read_text(user, "avatar_url");
  profile.profile_url = read_text(user, "html_url");
  profile.followers = read_number(user, "followers_count");
  profile.following = read_number(user, "following_count");
  profile.created = read_instant(user, "created");
  return profile;
}

/// "Internal" repositories belong to a user or an organization that only members can see.
bool is_internal(const Json& repository) { return read_flag(repository, "internal").value_or(false); }

/// Reads the heatmap, which has a count for each quarter of an hour with contributions.
LookUpResult::Contributions read_heatmap(const Json& heatmap, model::Day today) {
  LookUpResult::Contributions contributions;
  for (const Json& each : heatmap) {
    const auto second = read_number(each, "timestamp");
    const auto count = read_number(each, "contributions");
    if (second && count && *second < INT32_MAX)
      contributions.days.add(model::day_of(model::Instant(std::chrono::seconds(*second))), *count);
  }
  contributions.first = today - kHeatmapDays;
  contributions.last = today;
  contributions.source = "Gitea's heatmap";
  return contributions;
}

}  // namespace

Result<std::unique_ptr<GiteaCodeHost>> GiteaCodeHost::open(ports::HttpClient* http, const ports::Clock& clock,
                                                           code_host::Options options) {
  options.base_url = code_host::strip_api_path(std::move(options.base_url), "/api/v1");
  return code_host::open_host<GiteaCodeHost>(http, clock, options, {{"Accept", "application/json"}});
}

bool GiteaCodeHost::is_username(std::string_view username) const noexcept {
  // modules/validation of Gitea and Forgejo: letters, digits, "-", "." and "_", first a letter or a digit, 40 at most.
  // A newer rule forbids consecutive signs, but older names may have them.
  return code_host::consists_of(username, kMaxNameLength, "-._") &&
         code_host::consists_of(username.substr(0, 1), 1, "") && username != kSearch;
}

std::string GiteaCodeHost::health_path() const { return api_path() + "/version"; }

std::vector<Request> GiteaCodeHost::first_requests(std::string_view username) const {
  const std::string user = api_path() + "/users/" + std::string(username);
  return {{user, Auth::Token, {}}, {user + "/heatmap", Auth::Anonymous, {}}};
}

Status GiteaCodeHost::collect(ValidatedCalls& validated, std::vector<ValidatedCalls::TrackedRequest> first,
                              std::string_view, LookUpResult& result) const {
  auto read = KBASE_TRY(code_host::read_user(first[0]));
  const Json& user = result.store(std::move(read));
  if (read_text(user, "visibility").value_or("public") != "public") return code_host::user_not_found();
  result.profile = read_profile(user);
  const auto id = read_number(user, "id");
  if (!id || result.profile.username.empty()) return code_host::invalid_response("the user has no id or no login");

  // /users/{name}/repos always lists the oldest first. The search can be sorted.
  auto page = validated.start({api_path() + "/repos/search?uid=" + std::to_string(*id) +
                                   "&exclusive=true&private=false&sort=updated&order=desc&limit=50",
                               Auth::Token,
                               {}});
  const auto add = [&](const Json& repository) {
    if (!is_internal(repository)) code_host::add_repository(repository, "stars_count", result);
  };
  KBASE_TRY(read_pages(validated, std::move(page), "data", result, add));
  const auto heatmap = KBASE_TRY(code_host::read_optional(validated.calls(), first[1]));
  if (heatmap.document.is_array()) result.contributions = read_heatmap(heatmap.document, validated.today());

  return code_host::read_byte_counts(validated.calls(), api_path(), result);
}

}  // namespace kbase::gitea
