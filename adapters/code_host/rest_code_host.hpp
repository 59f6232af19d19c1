// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/code_host/calls.hpp"
#include "adapters/code_host/look_up_result.hpp"
#include "domain/base/result.hpp"
#include "ports/driven/code_host.hpp"

namespace kbase::code_host {

/// Opens a `Host` that sends `fields` with every call. Errors: those of Api::make. `http` and `clock` must outlive the
/// host.
template <class Host>
Result<std::unique_ptr<Host>> open_host(ports::HttpClient* http, const ports::Clock& clock, const Options& options,
                                        std::vector<Field> fields) {
  auto api = KBASE_TRY(Api::make(http, clock, options, std::move(fields)));
  return std::make_unique<Host>(std::move(api), options.max_repositories);
}

/// Returns the required response of a look-up as an object. NotFound: the service returned 404.
Result<Json> read_user(ValidatedCalls::TrackedRequest& start);

/// A response that a service may withhold. Its document is null if the service failed, the status is not 200 or the
/// body is not JSON.
struct OptionalResponse {
  Json document;
  bool has_more = false;  ///< there are further pages
};
Result<OptionalResponse> read_optional(Calls& calls, ValidatedCalls::TrackedRequest& start);

/// Requests the languages of repositories in order, some concurrently, while calls are left. Skips repositories for
/// which `path_of` returns an empty path or the service fails. Calls `add` with each successful response.
Status read_languages(Calls& calls, LookUpResult& result, FunctionRef<std::string(const ports::Repository&)> path_of,
                      FunctionRef<void(ports::Repository&, const Json&)> add);

/// Base class for code-hosting services with a REST API: a look-up that first checks whether anything changed, and
/// lists in pages. Derived classes define the paths and members of their service. The only state it keeps between
/// look-ups is a rate limit: until that ends, look-ups fail with Unavailable without a call. Thread-safe.
class RestCodeHost : public ports::CodeHost {
 public:
  RestCodeHost(Api api, std::size_t max_repositories) : api_(std::move(api)), max_repositories_(max_repositories) {}

  Result<ports::LookUp> look_up(ports::Call& call, std::string_view username, std::string_view validator,
                                ports::UserVisitor& visitor) final;

  /// Succeeds if the service responds with a status below 500, reports no rate limit and does not refuse the token.
  /// Other statuses, such as 404, count as success.
  Status health(ports::Call& call) final;

 protected:
  /// Returns the requests that a look-up starts at once: for example the profile, the first page of repositories, and
  /// the contributions.
  virtual std::vector<Request> first_requests(std::string_view username) const = 0;

  /// Collects the results. `first` are the requests of first_requests(), in progress.
  virtual Status collect(ValidatedCalls& validated, std::vector<ValidatedCalls::TrackedRequest> first,
                         std::string_view username, LookUpResult& result) const = 0;

  /// A path that is cheap for the service.
  virtual std::string health_path() const = 0;

  /// Reads `page` and the pages after it while more repositories are wanted and calls are left, then sorts the
  /// repositories. `list` is the name of the member with the array, or null if the page itself is the array. Calls
  /// `add` with each object, which `result` keeps.
  Status read_pages(ValidatedCalls& validated, ValidatedCalls::TrackedRequest page, const char* list,
                    LookUpResult& result, FunctionRef<void(const Json&)> add) const;

  const Api& api() const noexcept { return api_; }

 private:
  using Time = ports::Call::SteadyTime;

  Result<ports::LookUp> look_up(Calls& calls, std::string_view username, std::string_view validator,
                                ports::UserVisitor& visitor) const;

  void note_rate_limit(std::chrono::seconds wait);

  const Api api_;
  const std::size_t max_repositories_;
  std::atomic<Time> rate_limited_until_{Time::min()};
};

/// Whether `name` has 1 to `max_size` characters, all ASCII letters, ASCII digits or in `symbols`, so that a URL can
/// contain it unescaped.
bool consists_of(std::string_view name, std::size_t max_size, std::string_view symbols) noexcept;

/// Whether a URL can contain the full name of a repository (owner/name) unescaped.
bool is_full_name(std::string_view name);

/// Readers for the response format of GitHub, most of which Gitea uses too.
/// Adds `repository` if it is not private. `stars` is the name of the member with the number of stars.
void add_repository(const Json& repository, const char* stars, LookUpResult& result);

/// Adds the bytes per language of each repository, from `api_path`/repos/{full name}/languages.
Status read_byte_counts(Calls& calls, std::string_view api_path, LookUpResult& result);

}  // namespace kbase::code_host
