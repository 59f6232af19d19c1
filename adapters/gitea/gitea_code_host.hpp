// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/code_host/rest_code_host.hpp"

namespace kbase::gitea {

/// Gitea and Forgejo, by their REST API v1. Contributions come from the heatmap, which is requested without the token
/// because it shows more to a token than is public.
class GiteaCodeHost final : public code_host::RestCodeHost {
 public:
  using RestCodeHost::RestCodeHost;

  /// `options.base_url` is that of the site, "https://gitea.com", with or without "/api/v1". Errors: those of
  /// Api::make. `http` and `clock` must outlive the host.
  static Result<std::unique_ptr<GiteaCodeHost>> open(ports::HttpClient* http, const ports::Clock& clock,
                                                     code_host::Options options);

  bool is_username(std::string_view username) const noexcept override;

 private:
  std::vector<code_host::Request> first_requests(std::string_view username) const override;
  Status collect(code_host::ValidatedCalls& validated, std::vector<code_host::ValidatedCalls::TrackedRequest> first,
                 std::string_view username, code_host::LookUpResult& result) const override;
  std::string health_path() const override;

  std::string api_path() const { return api().path + "/api/v1"; }
};

}  // namespace kbase::gitea
