// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/code_host/rest_code_host.hpp"

namespace kbase::github {

/// GitHub and GitHub Enterprise Server, by their REST API 2022-11-28 and, with a token, by their GraphQL API.
///
/// With a token, contributions come from the calendar of the profile, by GraphQL. Without one, or if the token can see
/// contributions to private repositories, they are counted from the user's public events.
class GithubCodeHost final : public code_host::RestCodeHost {
 public:
  using RestCodeHost::RestCodeHost;

  /// `options.base_url` is that of the REST API: "https://api.github.com", or "https://HOST/api/v3" for an Enterprise
  /// Server. Errors: those of Api::make. `http` and `clock` must outlive the host.
  static Result<std::unique_ptr<GithubCodeHost>> open(ports::HttpClient* http, const ports::Clock& clock,
                                                      const code_host::Options& options);

  bool is_username(std::string_view username) const noexcept override;

 private:
  std::vector<code_host::Request> first_requests(std::string_view username) const override;
  Status collect(code_host::ValidatedCalls& validated, std::vector<code_host::ValidatedCalls::TrackedRequest> first,
                 std::string_view username, code_host::LookUpResult& result) const override;
  std::string health_path() const override;

  bool uses_calendar() const noexcept { return !api().authorization.empty(); }
  code_host::Request make_events_request(std::string_view username) const;
  Status collect_contributions(code_host::ValidatedCalls& validated, code_host::ValidatedCalls::TrackedRequest start,
                               std::string_view username, code_host::LookUpResult& result) const;
};

}  // namespace kbase::github
