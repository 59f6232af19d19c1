// SPDX-License-Identifier: Apache-2.0
#include "adapters/code_host/rest_code_host.hpp"

#include <algorithm>
#include <deque>
#include <utility>

#include "domain/base/result.hpp"
#include "domain/base/text.hpp"

namespace kbase::code_host {
namespace {

/// Concurrent requests for languages of one look-up. With 16 concurrent look-ups, the maximum of the server, the 80
/// requests do not exceed the default limits of the HTTP client: 16 in progress and 64 in its queue.
constexpr std::size_t kMaxConcurrent = 5;

/// Rate limits reset at least every hour. If a service asks for a longer wait by mistake, it gets requests again after
/// this time.
constexpr std::chrono::seconds kMaxRateLimitWait{3600};

/// A repository whose languages were requested.
struct PendingLanguages {
  ports::Repository* repository;
  PendingCall pending;
};

}  // namespace

Result<ports::LookUp> RestCodeHost::look_up(ports::Call& call, std::string_view username, std::string_view validator,
                                            ports::UserVisitor& visitor) {
  const Time now = api_.clock.steady();
  if (const Time until = rate_limited_until_; now < until)
    return unavailable("the rate limit of the service is used up; no request was sent",
                       std::chrono::ceil<std::chrono::milliseconds>(until - now));
  Calls calls(api_, call);
  auto result = look_up(calls, username, validator, visitor);
  if (const auto wait = calls.rate_limit_wait()) note_rate_limit(*wait);
  return result;
}

/// Keeps the latest time, because concurrent look-ups can get different waits.
void RestCodeHost::note_rate_limit(std::chrono::seconds wait) {
  const Time until = api_.clock.steady() + std::min(wait, kMaxRateLimitWait);
  Time before = rate_limited_until_;
  while (until > before && !rate_limited_until_.compare_exchange_weak(before, until)) {
  }
}

Result<ports::LookUp> RestCodeHost::look_up(Calls& calls, std::string_view username, std::string_view validator,
                                            ports::UserVisitor& visitor) const {
  ValidatedCalls validated(calls, model::day_of(api_.clock.now()));
  const std::vector<Request> requests = first_requests(username);
  const auto unchanged = KBASE_TRY(validated.is_unchanged(validator, requests));
  if (unchanged) return ports::LookUp{ports::LookUp::Outcome::Unchanged, {}};

  std::vector<ValidatedCalls::TrackedRequest> first;
  for (const Request& request : requests) first.push_back(validated.start(request));
  LookUpResult result;
  KBASE_TRY(collect(validated, std::move(first), username, result));
  if (!result.fits_limits()) return invalid_response("the texts of the user and the repositories are too long");
  result.visit(visitor);
  return ports::LookUp{ports::LookUp::Outcome::Updated, validated.validator()};
}

Status RestCodeHost::health(ports::Call& call) {
  Calls calls(api_, call);
  KBASE_TRY(calls.get({health_path()}));
  return {};
}

Status RestCodeHost::read_pages(ValidatedCalls& validated, ValidatedCalls::TrackedRequest page, const char* list,
                                LookUpResult& result, FunctionRef<void(const Json&)> add) const {
  while (true) {
    const auto response = KBASE_TRY(page.read());
    KBASE_TRY(expect_ok(response, page.request()));
    auto document = KBASE_TRY(parse_objects(response, list));
    for (const Json& object : result.store(std::move(document))) add(object);
    const std::string_view next = response.next_page();
    if (next.empty() || !api_.covers(next) || result.repositories.size() >= max_repositories_ ||
        validated.calls().remaining() == 0)
      break;
    page = validated.start({std::string(next)});
  }
  result.sort_repositories(max_repositories_);
  return {};
}

Result<Json> read_user(ValidatedCalls::TrackedRequest& start) {
  const auto response = KBASE_TRY(start.read());
  if (response.status == kNotFound) return user_not_found();
  KBASE_TRY(expect_ok(response, start.request()));
  return parse_object(response);
}

Result<OptionalResponse> read_optional(Calls& calls, ValidatedCalls::TrackedRequest& start) {
  OptionalResponse optional;
  const auto response = start.read();
  if (!response) {
    KBASE_TRY(calls.do_without_part(response.error()));
    return optional;
  }
  if (response->status == kOk) optional.document = parse_document(*response);
  optional.has_more = !response->next_page().empty();
  return optional;
}

Status read_languages(Calls& calls, LookUpResult& result, FunctionRef<std::string(const ports::Repository&)> path_of,
                      FunctionRef<void(ports::Repository&, const Json&)> add) {
  std::deque<PendingLanguages> queue;
  auto next = result.repositories.begin();
  const auto open_more = [&]() -> Status {
    for (; next != result.repositories.end() && queue.size() < kMaxConcurrent && calls.remaining() > 0; ++next) {
      std::string path = path_of(*next);
      if (path.empty()) continue;
      auto pending = calls.open({std::move(path)});
      if (pending)
        queue.push_back({&*next, *std::move(pending)});
      else
        KBASE_TRY(calls.do_without_part(pending.error()));
    }
    return {};
  };
  while (true) {
    KBASE_TRY(open_more());
    if (queue.empty()) return {};
    const auto response = queue.front().pending.read();
    // A repository that was deleted meanwhile or is not readable has no languages.
    const auto languages = response && response->status == kOk ? parse_object(*response) : Result<Json>(Json());
    if (!response || !languages)
      KBASE_TRY(calls.do_without_part(response ? languages.error() : response.error()));
    else if (languages->is_object())
      add(*queue.front().repository, *languages);
    queue.pop_front();
  }
}

bool consists_of(std::string_view name, std::size_t max_size, std::string_view symbols) noexcept {
  const auto is_allowed = [&](char c) { return ascii::is_alphanumeric(c) || symbols.find(c) != symbols.npos; };
  return !name.empty() && name.size() <= max_size && std::all_of(name.begin(), name.end(), is_allowed);
}

bool is_full_name(std::string_view name) {
  constexpr std::size_t kMaxFullNameBytes = 1024;
  const std::string segments = "/" + std::string(name) + "/";
  const bool has_dot_segments = segments.find("/./") != segments.npos || segments.find("/../") != segments.npos;
  return !has_dot_segments && consists_of(name, kMaxFullNameBytes, "/._-");
}

void add_repository(const Json& repository, const char* stars, LookUpResult& result) {
  const auto name = read_text(repository, "name");
  const auto full_name = read_text(repository, "full_name");
  if (!name || !full_name || read_flag(repository, "private") != false) return;
  ports::Repository row;
  row.name = *name;
  row.full_name = *full_name;
  row.description = read_text(repository, "description");
  row.url = read_text(repository, "html_url");
  row.language = read_text(repository, "language");
  row.topics = result.read_topics(find_member(repository, "topics"));
  row.stars = read_number(repository, stars);
  row.forks = read_number(repository, "forks_count");
  row.is_fork = read_flag(repository, "fork");
  row.is_archived = read_flag(repository, "archived");
  row.created = read_instant(repository, "created_at");
  row.updated = read_instant(repository, "updated_at");
  result.repositories.push_back(row);
}

Status read_byte_counts(Calls& calls, std::string_view api_path, LookUpResult& result) {
  const std::string repositories = std::string(api_path) + "/repos/";
  const auto path_of = [&](const ports::Repository& repository) {
    // A repository without a main language has no languages.
    if (!repository.language || !is_full_name(repository.full_name)) return std::string();
    return repositories + std::string(repository.full_name) + "/languages";
  };
  const auto add = [&](ports::Repository&, const Json& languages) {
    for (const auto& [name, bytes] : languages.items())
      if (bytes.is_number()) result.add_language(name, bytes.get<double>());
  };
  return read_languages(calls, result, path_of, add);
}

}  // namespace kbase::code_host
