// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>

#include "adapters/curl/options.hpp"
#include "adapters/curl/surroundings.hpp"
#include "domain/model/result.hpp"
#include "ports/driven/http_client.hpp"

namespace kbase::curl {

class Service;
class TransferLoop;

/// HTTP/1.1 to one service by libcurl. Redirects stay within the origin of the request, certificates are checked, no
/// cookie is kept and no password sent that the request does not hold. Bodies come unpacked (gzip), with the fields
/// Content-Encoding and Content-Length left out where they were packed.
///
/// Ownership: the loop and the surroundings outlive the client; exchanges may outlive it, but not these. Any thread.
class CurlHttpClient final : public ports::HttpClient {
 public:
  /// InvalidArgument: one of the allowed URLs is none, or there is none; the sentence says which and why.
  static model::Result<std::unique_ptr<CurlHttpClient>> make(TransferLoop& loop, const Surroundings& surroundings,
                                                             ClientOptions options);

  model::Result<std::unique_ptr<ports::HttpExchange>> open(ports::Call& call,
                                                           const ports::HttpRequest& request) override;

 private:
  CurlHttpClient(TransferLoop& loop, std::shared_ptr<Service> service) : loop_(loop), service_(std::move(service)) {}

  TransferLoop& loop_;
  const std::shared_ptr<Service> service_;
};

}  // namespace kbase::curl
