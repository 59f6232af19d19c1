// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "adapters/http/server.hpp"
#include "tests/adapters/http_client.hpp"
#include "tests/adapters/http_fixture.hpp"
#include "tests/support/eventually.hpp"

namespace kbase::tests {

/// Timeout for conditions that a test waits for; none takes this long.
inline constexpr std::chrono::seconds kLong{10};

/// A server with mocked dependencies on a free port. Items are answered on the reactor thread, statistics (always 404)
/// by the held executor.
class HttpServer : public testing::Test, protected HttpFixture {
 protected:
  HttpServer() {
    options.port = 0;
    options.inline_catalog = true;
  }

  void start() {
    auto started = http::Server::start(options, services);
    ASSERT_TRUE(started.has_value()) << started.error().message;
    server = *std::move(started);
  }

  RawClient client(int receive_buffer = 0) { return RawClient(server->port(), receive_buffer); }

  /// Returns a client that received a response and is still connected.
  RawClient served_client() {
    RawClient served = client();
    served.get("/item/a");
    EXPECT_EQ(served.answer().status, 200);
    return served;
  }

  Status pass_item(std::string_view id, ports::ItemVisitor visitor) const {
    model::ItemView item;
    item.id = id;
    item.content = content;
    visitor(item);
    return {};
  }

  /// Advances the clock until the client can read.
  void advance_until_readable(const RawClient& waiting, std::chrono::milliseconds step) {
    EXPECT_TRUE(eventually(kLong, [&] {
      clock.advance(step);
      return waiting.is_readable(20);
    }));
  }

  std::string content = "text";
  std::unique_ptr<trompeloeil::expectation> allowances[7] = {
      NAMED_ALLOW_CALL(access, admit(trompeloeil::_, trompeloeil::_, trompeloeil::_)).LR_RETURN(admitted(clock.now())),
      NAMED_ALLOW_CALL(access, admission_without_charge(trompeloeil::_)).LR_RETURN(admitted(clock.now())),
      NAMED_ALLOW_CALL(access, is_inline(trompeloeil::_)).RETURN(true),
      NAMED_ALLOW_CALL(catalog, store_id()).RETURN(model::StoreId{}),
      NAMED_ALLOW_CALL(catalog, count_view(trompeloeil::_)),
      NAMED_ALLOW_CALL(catalog, item(trompeloeil::_, trompeloeil::_, trompeloeil::_)).LR_RETURN(pass_item(_2, _3)),
      NAMED_ALLOW_CALL(health, report()).RETURN(ports::HealthReport{}),
  };
  std::unique_ptr<trompeloeil::expectation> allow_statistics_validator =
      NAMED_ALLOW_CALL(statistics, validator(trompeloeil::_)).RETURN(ports::Validator{});
  std::unique_ptr<trompeloeil::expectation> allow_statistics =
      NAMED_ALLOW_CALL(statistics, report(trompeloeil::_))
          .RETURN(Error{ErrorCode::NotFound, "stats of " + std::string(_1.trace_id)});
  std::unique_ptr<http::Server> server;
};

}  // namespace kbase::tests
