// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <stdexcept>
#include <string>

#include "adapters/postgres/item_store.hpp"
#include "adapters/system/system_crypto.hpp"
#include "plugins/conformance/content_samples.hpp"
#include "tests/support/outcome.hpp"
#include "tests/support/postgres_server.hpp"

namespace kbase::tests {

/// Returns different bytes in every store. Thread-safe.
class DeviceRandom final : public ports::Random {
 public:
  void fill(std::span<std::uint8_t> bytes) override {
    std::random_device device;
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(device());
  }
};

/// Fixture for tests with a real server and the real clock. Several stores represent several processes.
class PostgresFixture : public testing::Test {
 protected:
  using Store = std::unique_ptr<postgres::PostgresItemStore>;

  void SetUp() override {
    if (!has_postgres()) GTEST_SKIP() << kNoPostgres;
  }

  Result<Store> try_open(const std::string& url, const std::string& schema = "kbase",
                         const std::string& instance = {}) {
    postgres::Options options;
    options.url = url;
    options.schema = schema;
    options.instance = instance;
    return postgres::PostgresItemStore::open(options, clock_, random_);
  }

  Store open(const std::string& url, const std::string& schema = "kbase") {
    auto opened = try_open(url, schema);
    if (!opened) throw std::runtime_error(opened.error().message + opened.error().detail);
    return *std::move(opened);
  }

  /// Returns a call with a timeout.
  ports::Call within(std::chrono::milliseconds timeout) const {
    ports::Call call;
    call.deadline = clock_.steady() + timeout;
    return call;
  }

  /// Puts an item with this title, and its category.
  static Result<model::Revision> put(ports::ItemStore& store, std::string_view id, std::string_view title = "A title") {
    model::ItemView item = conformance::item_of(id);
    item.title = title;
    return conformance::commit(store, {{conformance::category_of("shelf")}, {item}, {}, {}});
  }

  system::SystemClock clock_;
  DeviceRandom random_;
};

}  // namespace kbase::tests
