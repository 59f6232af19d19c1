// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>

#include "adapters/curl/options.hpp"
#include "domain/base/result.hpp"
#include "ports/driven/http_client.hpp"

namespace kbase::curl {

class UpstreamService;
class TransferLoop;

/// HTTP/1.1 client for one service, based on libcurl. Follows redirects only within the origin of the request, verifies
/// certificates, keeps no cookies and sends no credentials except those in the request. Decompresses gzip bodies and
/// then omits the fields Content-Encoding and Content-Length.
///
/// Ownership: the loop and the surroundings must outlive the client and its exchanges. Exchanges may outlive the
/// client. Thread-safe.
class CurlHttpClient final : public ports::HttpClient {
 public:
  /// InvalidArgument: an allowed URL is not valid, or no URL is allowed. The message names the URL's error.
  static Result<std::unique_ptr<CurlHttpClient>> make(TransferLoop& loop, const ClientPorts& ports,
                                                      ClientOptions options);

  Result<std::unique_ptr<ports::HttpExchange>> open(ports::Call& call, const ports::HttpRequest& request) override;

 private:
  CurlHttpClient(TransferLoop& loop, std::shared_ptr<UpstreamService> service)
      : loop_(loop), service_(std::move(service)) {}

  TransferLoop& loop_;
  const std::shared_ptr<UpstreamService> service_;
};

}  // namespace kbase::curl
