// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <utility>

#include "plugins/sdk/entry.hpp"
#include "plugins/sdk/host_services.hpp"
#include "tests/adapters/curl_fixture.hpp"
#include "tests/plugins/http_extension_client.hpp"

namespace kbase::tests {
namespace {

/// HTTP client behind the C boundary: the host's C table, and the SDK's port on top of it.
struct BoundaryClient {
  BoundaryClient(std::unique_ptr<ports::HttpClient> original, const ports::Clock& clock, ports::EventLog& log)
      : client(std::move(original)), plugin_side(*client, clock, log), port(plugin_side.host, *plugin_side.table) {}

  std::unique_ptr<ports::HttpClient> client;
  HttpExtensionClient plugin_side;
  sdk::HostHttpClient port;
};

/// Exchange with the call that opened it; a test may change the call in between.
class BoundaryExchange final : public ports::HttpExchange {
 public:
  BoundaryExchange(std::shared_ptr<BoundaryClient> boundary, const ports::Call& call)
      : boundary_(std::move(boundary)), origin_(call), call_(boundary_->plugin_side.call(origin_)) {}

  Status open(const ports::HttpRequest& request) {
    ports::Call call = sdk::call_of(call_);
    auto opened = boundary_->port.open(call, request);
    if (!opened) return opened.error();
    exchange_ = std::move(*opened);
    return {};
  }

  Result<ports::HttpHead> head() override { return exchange_->head(); }
  Result<std::size_t> read(std::span<char> buffer) override { return exchange_->read(buffer); }

 private:
  const std::shared_ptr<BoundaryClient> boundary_;
  ports::Call origin_;
  const kb_call call_;
  std::unique_ptr<ports::HttpExchange> exchange_;
};

class BoundaryHttpClient final : public ports::HttpClient {
 public:
  explicit BoundaryHttpClient(std::shared_ptr<BoundaryClient> boundary) : boundary_(std::move(boundary)) {}

  Result<std::unique_ptr<ports::HttpExchange>> open(ports::Call& call, const ports::HttpRequest& request) override {
    auto exchange = std::make_unique<BoundaryExchange>(boundary_, call);
    if (auto opened = exchange->open(request); !opened) return opened.error();
    return std::unique_ptr<ports::HttpExchange>(std::move(exchange));
  }

 private:
  const std::shared_ptr<BoundaryClient> boundary_;
};

}  // namespace

std::unique_ptr<ports::HttpClient> client_under_test(std::unique_ptr<ports::HttpClient> client,
                                                     const ports::Clock& clock, ports::EventLog& log) {
  return std::make_unique<BoundaryHttpClient>(std::make_shared<BoundaryClient>(std::move(client), clock, log));
}

}  // namespace kbase::tests
