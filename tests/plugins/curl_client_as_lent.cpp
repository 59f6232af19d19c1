// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <utility>

#include "plugins/sdk/entry.hpp"
#include "plugins/sdk/host_http_client.hpp"
#include "tests/adapters/curl_world.hpp"
#include "tests/plugins/http_borrower.hpp"

namespace kbase::tests {
namespace {

/// HTTP client behind the C boundary: the host's C table, and the SDK's port on top of it.
struct Lending {
  Lending(std::unique_ptr<ports::HttpClient> lent, const ports::Clock& clock, ports::EventLog& log)
      : client(std::move(lent)), borrower(*client, clock, log), port(borrower.host, *borrower.table) {}

  std::unique_ptr<ports::HttpClient> client;
  HttpBorrower borrower;
  sdk::HostHttpClient port;
};

/// Exchange with the call that opened it; a test may change the call in between.
class LentExchange final : public ports::HttpExchange {
 public:
  LentExchange(std::shared_ptr<Lending> lending, const ports::Call& call)
      : lending_(std::move(lending)), origin_(call), call_(lending_->borrower.call(origin_)) {}

  model::Status open(const ports::HttpRequest& request) {
    ports::Call call = sdk::call_of(call_);
    auto opened = lending_->port.open(call, request);
    if (!opened) return opened.error();
    exchange_ = std::move(*opened);
    return {};
  }

  model::Result<ports::HttpHead> head() override { return exchange_->head(); }
  model::Result<std::size_t> read(std::span<char> buffer) override { return exchange_->read(buffer); }

 private:
  const std::shared_ptr<Lending> lending_;
  ports::Call origin_;
  const kb_call call_;
  std::unique_ptr<ports::HttpExchange> exchange_;
};

class LentClient final : public ports::HttpClient {
 public:
  explicit LentClient(std::shared_ptr<Lending> lending) : lending_(std::move(lending)) {}

  model::Result<std::unique_ptr<ports::HttpExchange>> open(ports::Call& call,
                                                           const ports::HttpRequest& request) override {
    auto exchange = std::make_unique<LentExchange>(lending_, call);
    if (auto opened = exchange->open(request); !opened) return opened.error();
    return std::unique_ptr<ports::HttpExchange>(std::move(exchange));
  }

 private:
  const std::shared_ptr<Lending> lending_;
};

}  // namespace

std::unique_ptr<ports::HttpClient> as_used(std::unique_ptr<ports::HttpClient> client, const ports::Clock& clock,
                                           ports::EventLog& log) {
  return std::make_unique<LentClient>(std::make_shared<Lending>(std::move(client), clock, log));
}

}  // namespace kbase::tests
