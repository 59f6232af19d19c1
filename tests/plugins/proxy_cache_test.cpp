// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "app/plugin_host/host_table.hpp"
#include "tests/plugins/fake_tables.hpp"
#include "tests/support/outcome.hpp"

namespace kbase::tests {
namespace {
using std::chrono::milliseconds;

class CacheProxy : public testing::Test {
 protected:
  Result<bool> get() {
    return cache_->get(call_, "key", [this](std::string_view value) {
      seen_ += value;
      return Visit::Stop;
    });
  }

  HostFixture fixture_;
  FakeCache fake_;
  std::unique_ptr<ports::Cache> cache_ = plugin_host::open_port<ports::Cache>(fake_.table, fixture_.host, "{}").value();
  ports::Call call_;
  std::string seen_;
};

TEST_F(CacheProxy, ReturnsAValueOrMisses) {
  fake_.get = [](kb_call*, kb_view, kb_value_sink sink, void* data) {
    return sink(data, to_view("value")) == 0 ? KB_OK : KB_STOPPED;
  };
  EXPECT_TRUE(get().value()) << "a visitor that stops has received the value";
  EXPECT_EQ(seen_, "value");
  fake_.get = [](kb_call*, kb_view, kb_value_sink, void*) { return KB_NOT_FOUND; };
  EXPECT_FALSE(get().value());
}

TEST(CacheProxyInline, ATableThatNeverBlocksIsInline) {
  HostFixture fixture;
  FakeCache fake;
  EXPECT_FALSE(plugin_host::open_port<ports::Cache>(fake.table, fixture.host, "{}").value()->is_inline());
  fake.table.inline_calls = KB_CACHE_INLINE_CALLS;
  EXPECT_TRUE(plugin_host::open_port<ports::Cache>(fake.table, fixture.host, "{}").value()->is_inline());
}

TEST_F(CacheProxy, ReturnsAnEmptyValue) {
  fake_.get = [](kb_call*, kb_view, kb_value_sink sink, void* data) {
    sink(data, {});
    return KB_OK;
  };
  EXPECT_TRUE(get().value());
}

TEST_F(CacheProxy, PassesTheTimeToLive) {
  ASSERT_TRUE(succeeded(cache_->put(call_, "key", "value", milliseconds(1500))));
  EXPECT_EQ(fake_.put, "key=value for 1500");
  EXPECT_TRUE(succeeded(cache_->erase(call_, "key")));
}

TEST_F(CacheProxy, RejectsInvalidValues) {
  const auto get_when_passed = [this](kb_view value, int times) {
    fake_.get = [=](kb_call*, kb_view, kb_value_sink sink, void* data) {
      for (int i = 0; i < times; ++i) sink(data, value);
      return KB_OK;
    };
    return cache_->get(call_, "key", [](std::string_view) { return Visit::Continue; });
  };
  EXPECT_TRUE(succeeded(get_when_passed(to_view("value"), 1)));
  EXPECT_TRUE(failed(get_when_passed(to_view("value"), 2), ErrorCode::Internal)) << "a second value";
  EXPECT_TRUE(failed(get_when_passed(to_view("value"), 0), ErrorCode::Internal)) << "KB_OK without a value";
  EXPECT_TRUE(failed(get_when_passed(kInvalidView, 1), ErrorCode::Internal));
  EXPECT_TRUE(failed(get_when_passed({"x", (16u << 20) + 1}, 1), ErrorCode::Internal)) << "above 16 MiB";
}

}  // namespace
}  // namespace kbase::tests
