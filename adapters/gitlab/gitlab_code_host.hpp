// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/code_host/rest_code_host.hpp"

namespace kbase::gitlab {

/// GitLab, by its REST API v4. Languages are percentages per project and sizes are not public, so all projects have the
/// same weight. Contributions come from the user's public calendar, which is part of the site, not of the API.
class GitlabCodeHost final : public code_host::RestCodeHost {
 public:
  using RestCodeHost::RestCodeHost;

  /// `options.base_url` is that of the site, "https://gitlab.com", with or without "/api/v4". Errors: those of
  /// Api::make. `http` and `clock` must outlive the host.
  static Result<std::unique_ptr<GitlabCodeHost>> open(ports::HttpClient* http, const ports::Clock& clock,
                                                      code_host::Options options);

  bool is_username(std::string_view username) const noexcept override;

 private:
  std::vector<code_host::Request> first_requests(std::string_view username) const override;
  Status collect(code_host::ValidatedCalls& validated, std::vector<code_host::ValidatedCalls::TrackedRequest> first,
                 std::string_view username, code_host::LookUpResult& result) const override;
  std::string health_path() const override;

  std::string api_path() const { return api().path + "/api/v4"; }
  /// Returns the id of the user. NotFound: there is no such user, or the user is not public.
  Result<std::uint64_t> find_user(code_host::ValidatedCalls::TrackedRequest start,
                                  code_host::LookUpResult& result) const;
  Status collect_details(code_host::Calls& calls, code_host::ValidatedCalls::TrackedRequest start,
                         code_host::LookUpResult& result) const;
  void add_project(const code_host::Json& project, code_host::LookUpResult& result) const;
};

}  // namespace kbase::gitlab
