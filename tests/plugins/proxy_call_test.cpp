// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <thread>

#include "app/plugin_host/host_table.hpp"
#include "domain/base/text.hpp"
#include "tests/plugins/fake_tables.hpp"
#include "tests/support/outcome.hpp"

namespace kbase::tests {
namespace {
using std::chrono::milliseconds;

/// Behavior common to every call of every port, tested with the smallest port, the cache.
class ProxyCall : public testing::Test {
 protected:
  std::unique_ptr<ports::Cache> open() {
    return plugin_host::open_port<ports::Cache>(fake_.table, fixture_.host, R"({"a":1})").value();
  }

  Result<bool> get() {
    return cache_->get(call_, "key", [this](std::string_view value) {
      values_ += std::string(value) + " ";
      return Visit::Continue;
    });
  }

  /// Returns the error of a call in which the plugin explains `why` and returns `status`.
  Error failed(kb_status status, const kb_explanation& why) {
    fake_.get = [&](kb_call* call, kb_view, kb_value_sink, void*) {
      call->host->explain(call, &why);
      return status;
    };
    return get().error();
  }

  Error answered(kb_status status) {
    fake_.get = [&](kb_call*, kb_view, kb_value_sink, void*) { return status; };
    return get().error();
  }

  HostFixture fixture_;
  FakeCache fake_;
  std::unique_ptr<ports::Cache> cache_ = open();
  ports::Call call_;
  std::string values_;
};

TEST_F(ProxyCall, PassesDeadlineTraceAndHost) {
  call_.deadline = fixture_.clock.steady() + milliseconds(250);
  call_.trace_id = "trace-1";
  fake_.get = [&](kb_call* call, kb_view key, kb_value_sink, void*) {
    EXPECT_EQ(call->struct_size, sizeof(kb_call));
    EXPECT_EQ(call->deadline_ns, call->host->monotonic_ns(call->host) + 250'000'000);
    EXPECT_EQ(std::string(call->trace_id.data, call->trace_id.size), "trace-1");
    EXPECT_EQ(call->host, fixture_.host.table());
    EXPECT_EQ(std::string(key.data, key.size), "key");
    return KB_NOT_FOUND;
  };
  EXPECT_FALSE(get().value());
}

TEST_F(ProxyCall, PassesWhetherTheCallMustBeQuick) {
  for (const bool is_quick : {true, false}) {
    call_.is_quick = is_quick;
    fake_.get = [is_quick](kb_call* call, kb_view, kb_value_sink, void*) {
      EXPECT_EQ(call->reserved, 0U);
      EXPECT_EQ(call->flags, is_quick ? KB_CALL_IS_QUICK : 0U);
      return KB_NOT_FOUND;
    };
    EXPECT_FALSE(get().value());
  }
}

TEST_F(ProxyCall, HasNoDeadlineIfTheCallerHasNone) {
  fake_.get = [](kb_call* call, kb_view, kb_value_sink, void*) {
    EXPECT_EQ(call->deadline_ns, UINT64_MAX);
    return KB_NOT_FOUND;
  };
  EXPECT_FALSE(get().value());
}

TEST_F(ProxyCall, LetsThePluginCheckForCancellation) {
  std::atomic<bool> cancelled{false};
  call_.cancel = &cancelled;
  fake_.get = [&](kb_call* call, kb_view, kb_value_sink, void*) {
    EXPECT_EQ(call->host->cancelled(call), 0);
    cancelled = true;
    std::thread([call] { EXPECT_NE(call->host->cancelled(call), 0) << "from any thread"; }).join();
    return KB_CANCELLED;
  };
  EXPECT_TRUE(tests::failed(get(), ErrorCode::Cancelled));
}

TEST_F(ProxyCall, PutsThePluginAndTheFunctionBeforeTheReason) {
  auto why = sized<kb_explanation>();
  why.message = to_view("The cache is down.");
  why.detail = to_view("connection refused");
  why.parameter = to_view("not of this failure");
  why.retry_after_ms = 1500;
  const Error error = failed(KB_UNAVAILABLE, why);
  EXPECT_EQ(error.code, ErrorCode::Unavailable);
  EXPECT_EQ(error.message, "The cache is down.");
  EXPECT_EQ(error.detail, "org.example.fake: cache.get: connection refused");
  EXPECT_EQ(error.parameter, "");
  EXPECT_EQ(error.retry_after, milliseconds(1500));
}

TEST_F(ProxyCall, NamesTheWrongParameter) {
  auto why = sized<kb_explanation>();
  why.message = to_view("must be a path");
  why.parameter = to_view("path");
  EXPECT_EQ(failed(KB_INVALID_ARGUMENT, why).parameter, "path");
}

TEST_F(ProxyCall, UsesTheLastReason) {
  fake_.get = [](kb_call* call, kb_view, kb_value_sink, void*) {
    auto why = sized<kb_explanation>();
    why.message = to_view("first");
    call->host->explain(call, &why);
    why.message = to_view("last");
    std::thread([&] { call->host->explain(call, &why); }).join();
    return KB_CORRUPT;
  };
  const Error error = get().error();
  EXPECT_EQ(error.code, ErrorCode::Corrupt);
  EXPECT_EQ(error.message, "last");
}

TEST_F(ProxyCall, ReportsThatNoReasonWasGiven) {
  const Error error = answered(KB_CONFLICT);
  EXPECT_EQ(error.code, ErrorCode::Conflict);
  EXPECT_EQ(error.detail, "org.example.fake: cache.get: the plugin failed without an explanation");
  EXPECT_FALSE(error.message.empty());
}

TEST_F(ProxyCall, DropsTheReasonOfASuccessfulCall) {
  fake_.get = [](kb_call* call, kb_view, kb_value_sink, void*) {
    auto why = sized<kb_explanation>();
    why.message = to_view("only a try");
    call->host->explain(call, &why);
    return KB_NOT_FOUND;
  };
  EXPECT_FALSE(get().value());
  EXPECT_EQ(answered(KB_CONFLICT).message.find("only a try"), std::string::npos);
}

TEST_F(ProxyCall, RepairsAndTruncatesAReason) {
  const std::string huge(1 << 20, 'x');
  auto why = sized<kb_explanation>();
  why.message = to_view("caf\xE9");
  why.detail = to_view(huge);
  why.parameter = kInvalidView;
  const Error error = failed(KB_INVALID_ARGUMENT, why);
  EXPECT_EQ(error.message, "caf\uFFFD");
  EXPECT_LT(error.detail.size(), 5000u);
  EXPECT_EQ(error.parameter, "");
}

TEST_F(ProxyCall, IgnoresAReasonInAShortStruct) {
  kb_explanation why{};
  why.struct_size = offsetof(kb_explanation, detail);
  why.message = to_view("half a struct");
  EXPECT_NE(failed(KB_INTERNAL, why).message, "half a struct");
}

TEST_F(ProxyCall, TreatsAnUnknownStatusAsInternal) {
  EXPECT_EQ(answered(-12).code, ErrorCode::Internal);
  EXPECT_EQ(answered(INT32_MIN).code, ErrorCode::Internal);
}

TEST_F(ProxyCall, TreatsAnUnexpectedStatusAsInternal) {
  fake_.answer = KB_NOT_FOUND;
  const Error error = cache_->erase(call_, "key").error();
  EXPECT_EQ(error.code, ErrorCode::Internal);
  EXPECT_EQ(error.detail,
            "org.example.fake: cache.erase: the plugin returned status 1, which this function cannot return");
  EXPECT_NE(error.message.find("org.example.fake"), std::string::npos);
  EXPECT_EQ(answered(KB_STOPPED).code, ErrorCode::Internal) << "the sink did not stop it";
  EXPECT_EQ(answered(77).code, ErrorCode::Internal);
}

TEST_F(ProxyCall, TreatsAnExceptionOfThePluginAsInternal) {
  fake_.get = [](kb_call*, kb_view, kb_value_sink, void*) -> kb_status { throw std::runtime_error("oops"); };
  const Error error = get().error();
  EXPECT_EQ(error.code, ErrorCode::Internal);
  EXPECT_EQ(error.detail, "org.example.fake: cache.get: the plugin threw an exception");
  fake_.get = [](kb_call*, kb_view, kb_value_sink, void*) { return KB_NOT_FOUND; };
  EXPECT_FALSE(get().value()) << "the next call succeeds";
}

TEST_F(ProxyCall, RethrowsAVisitorExceptionAfterThePluginReturned) {
  bool returned = false;
  fake_.get = [&](kb_call*, kb_view, kb_value_sink sink, void* data) {
    EXPECT_NE(sink(data, to_view("value")), 0) << "the sink is stopped";
    EXPECT_NE(sink(data, to_view("value")), 0);
    returned = true;
    return KB_STOPPED;
  };
  const auto throws = [](std::string_view) -> Visit { throw std::out_of_range("the visitor's"); };
  EXPECT_THROW((void)cache_->get(call_, "key", throws), std::out_of_range);
  EXPECT_TRUE(returned);
}

// ------------------------------------------------------------------------- sinks called at the wrong time

TEST_F(ProxyCall, RejectsASinkThatWasKeptBeyondItsCall) {
  kb_value_sink kept = nullptr;
  void* kept_data = nullptr;
  fake_.get = [&](kb_call*, kb_view, kb_value_sink sink, void* data) {
    kept = sink;
    kept_data = data;
    return sink(data, to_view("in time"));
  };
  EXPECT_TRUE(get().value());
  EXPECT_NE(kept(kept_data, to_view("late")), 0);
  EXPECT_NE(kept(nullptr, to_view("nowhere")), 0);
  EXPECT_EQ(values_, "in time ");
}

TEST_F(ProxyCall, RejectsASinkOfAnotherKindOfCall) {
  FakeItemStore store_table;
  const auto store = plugin_host::open_port<ports::ItemStore>(store_table.table, fixture_.host, "{}").value();
  kb_item_sink kept = nullptr;
  store_table.items = [&](kb_item_sink sink, void*) {
    kept = sink;
    return KB_NOT_FOUND;
  };
  EXPECT_TRUE(tests::failed(store->get(call_, "a", [](const model::ItemView&) { return Visit::Continue; }),
                            ErrorCode::NotFound));
  fake_.get = [&](kb_call*, kb_view, kb_value_sink, void* data) {
    const auto item = sized<kb_item>();
    EXPECT_NE(kept(data, &item), 0);
    return KB_NOT_FOUND;
  };
  EXPECT_FALSE(get().value());
}

TEST_F(ProxyCall, RejectsASinkOnAnotherThread) {
  fake_.get = [&](kb_call*, kb_view, kb_value_sink sink, void* data) {
    std::thread([&] { EXPECT_NE(sink(data, to_view("elsewhere")), 0); }).join();
    return KB_STOPPED;
  };
  EXPECT_TRUE(tests::failed(get(), ErrorCode::Internal));
  EXPECT_EQ(values_, "");
}

TEST_F(ProxyCall, AcceptsRowsAgainAfterANestedCallOfTheVisitor) {
  int depth = 0;
  fake_.get = [&](kb_call*, kb_view, kb_value_sink sink, void* data) {
    if (++depth == 2) return sink(data, to_view("inner"));
    return sink(data, to_view("outer"));
  };
  const auto visit = [this](std::string_view value) {
    values_ += std::string(value) + " ";
    (void)get();
    return Visit::Continue;
  };
  EXPECT_TRUE(cache_->get(call_, "key", visit).value());
  EXPECT_EQ(values_, "outer inner ");
}

// ---------------------------------------------------------------------------------------------- instances

TEST_F(ProxyCall, CreatesWithTheConfigurationAndDestroysOnce) {
  EXPECT_EQ(fake_.config, R"({"a":1})");
  EXPECT_EQ(fake_.destroyed, 0);
  cache_.reset();
  EXPECT_EQ(fake_.destroyed, 1);
}

TEST_F(ProxyCall, ReportsWhyAnInstanceCouldNotBeCreated) {
  fake_.created = [](kb_call* call) {
    auto why = sized<kb_explanation>();
    why.message = to_view("There is no such folder.");
    why.parameter = to_view("path");
    call->host->explain(call, &why);
    return KB_INVALID_ARGUMENT;
  };
  const auto opened = plugin_host::open_port<ports::Cache>(fake_.table, fixture_.host, "{}");
  EXPECT_TRUE(tests::failed(opened, ErrorCode::InvalidArgument, "path"));
  EXPECT_EQ(opened.error().message, "There is no such folder.");
  EXPECT_EQ(fake_.destroyed, 0);
}

TEST_F(ProxyCall, ReportsThatTheTargetOfAnInstanceDoesNotExist) {
  fake_.created = [](kb_call* call) {
    auto why = sized<kb_explanation>();
    why.message = to_view("There is no store.");
    call->host->explain(call, &why);
    return KB_NOT_FOUND;
  };
  const auto opened = plugin_host::open_port<ports::Cache>(fake_.table, fixture_.host, "{}");
  EXPECT_TRUE(tests::failed(opened, ErrorCode::NotFound));
  EXPECT_EQ(opened.error().message, "There is no store.");
}

TEST_F(ProxyCall, RejectsAMissingInstance) {
  fake_.returns_no_instance = true;
  const auto opened = plugin_host::open_port<ports::Cache>(fake_.table, fixture_.host, "{}");
  EXPECT_TRUE(tests::failed(opened, ErrorCode::Internal));
  EXPECT_EQ(fake_.destroyed, 0);
}

TEST_F(ProxyCall, SurvivesAnExceptionInDestroy) {
  fake_.table.destroy = [](kb_cache*) { throw std::runtime_error("oops"); };
  cache_.reset();
  ASSERT_EQ(fixture_.log.lines.size(), 1u);
  EXPECT_EQ(fixture_.log.lines[0].event, "plugin.threw");
  EXPECT_EQ(fixture_.log.lines[0].plugin, "org.example.fake");
}

TEST_F(ProxyCall, ChecksTheHealth) {
  EXPECT_TRUE(succeeded(cache_->health(call_)));
  fake_.health = [](kb_call*) { return KB_UNAVAILABLE; };
  EXPECT_TRUE(tests::failed(cache_->health(call_), ErrorCode::Unavailable));
}

TEST_F(ProxyCall, SendsOneCallAtATimeToASerialPlugin) {
  fake_.table.flags = KB_TABLE_SERIAL;
  cache_ = plugin_host::open_port<ports::Cache>(fake_.table, fixture_.host, "{}").value();
  std::atomic<int> inside{0};
  std::atomic<int> most{0};
  fake_.get = [&](kb_call*, kb_view, kb_value_sink, void*) {
    const int now = ++inside;
    if (now > most) most = now;
    for (int i = 0; i < 10; ++i) std::this_thread::yield();
    --inside;
    return KB_NOT_FOUND;
  };
  const auto send_requests = [&] {
    ports::Call call;
    for (int i = 0; i < 500; ++i)
      EXPECT_TRUE(succeeded(cache_->get(call, "key", [](std::string_view) { return Visit::Continue; })));
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back(send_requests);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(most, 1);
}

}  // namespace
}  // namespace kbase::tests
