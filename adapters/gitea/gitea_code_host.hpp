// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/code_host/rest_code_host.hpp"

namespace kbase::gitea {

/// Gitea and Forgejo by their REST API v1. Contributions are those of the heatmap, asked for without the token, for a
/// token is shown more of it.
class GiteaCodeHost final : public code_host::RestCodeHost {
 public:
  using RestCodeHost::RestCodeHost;

  /// `options.base_url` is the site's, "https://gitea.com"; with "/api/v1" after it, too. InvalidArgument as Api::make.
  /// What is lent outlives the host.
  static model::Result<std::unique_ptr<GiteaCodeHost>> open(ports::HttpClient* http, const ports::Clock& clock,
                                                            code_host::Options options);

  bool is_username(std::string_view username) const noexcept override;

 private:
  std::vector<code_host::Request> first_requests(std::string_view username) const override;
  model::Status gather(code_host::Inquiry& inquiry, std::vector<code_host::Inquiry::Ask> first,
                       std::string_view username, code_host::Findings& findings) const override;
  std::string health_path() const override;

  std::string rest() const { return api().path + "/api/v1"; }
};

}  // namespace kbase::gitea
