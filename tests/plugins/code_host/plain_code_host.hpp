// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "ports/driven/code_host.hpp"
#include "ports/driven/http_client.hpp"

namespace kbase::tests {

/// Minimal code-hosting adapter. Its service answers GET /users/NAME with "user NAME" and optionally an ETag, which
/// the adapter sends in If-None-Match. The service answers any other path with 200 while it is healthy.
class PlainCodeHost final : public ports::CodeHost {
 public:
  /// `http` must outlive this object.
  PlainCodeHost(ports::HttpClient& http, std::string base_url) : http_(http), base_url_(std::move(base_url)) {}

  bool is_username(std::string_view username) const noexcept override;
  Result<ports::LookUp> look_up(ports::Call& call, std::string_view username, std::string_view validator,
                                ports::UserVisitor& visitor) override;
  Status health(ports::Call& call) override;

 private:
  struct Page {
    bool is_unchanged = false;
    std::string tag;
    std::string body;
  };
  Result<Page> get(ports::Call& call, std::string_view path, std::string_view validator);

  ports::HttpClient& http_;
  const std::string base_url_;
};

}  // namespace kbase::tests
