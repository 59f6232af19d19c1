// SPDX-License-Identifier: Apache-2.0
#include "adapters/curl/curl_http_client.hpp"

#include <utility>
#include <vector>

#include "adapters/curl/exchange.hpp"
#include "adapters/curl/failure.hpp"
#include "adapters/curl/request.hpp"
#include "adapters/curl/service.hpp"
#include "adapters/curl/transfer.hpp"
#include "adapters/curl/transfer_loop.hpp"
#include "adapters/curl/url.hpp"

namespace kbase::curl {

model::Result<std::unique_ptr<CurlHttpClient>> CurlHttpClient::make(TransferLoop& loop,
                                                                    const Surroundings& surroundings,
                                                                    ClientOptions options) {
  std::vector<Origin> allowed;
  for (const std::string& text : options.allowed_urls) {
    const auto url = Url::parse(text);
    if (!url) return url.error();
    allowed.push_back(url->origin());
  }
  if (allowed.empty()) return model::invalid_argument("url", "A client needs the URL of its service.");
  auto service = std::make_shared<Service>(surroundings, std::move(options), std::move(allowed));
  return std::unique_ptr<CurlHttpClient>(new CurlHttpClient(loop, std::move(service)));
}

model::Result<std::unique_ptr<ports::HttpExchange>> CurlHttpClient::open(ports::Call& call,
                                                                         const ports::HttpRequest& request) {
  if (call.cancelled()) return cancelled();
  auto copy = checked(request, service_->allowed(), service_->options());
  if (!copy) return copy.error();
  const auto pass = service_->enter();
  if (!pass) return pass.error();
  const Breaker::Time entered = service_->clock().steady();
  try {
    auto transfer = std::make_shared<Transfer>(service_, *pass, std::move(*copy), call);
    return std::unique_ptr<ports::HttpExchange>(new Exchange(loop_, std::move(transfer)));
  } catch (...) {  // out of memory: no one else calls leave()
    service_->leave(*pass, Outcome::Cancelled, entered);
    throw;
  }
}

}  // namespace kbase::curl
