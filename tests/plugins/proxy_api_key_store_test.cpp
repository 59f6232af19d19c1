// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "app/plugin_host/host_table.hpp"
#include "tests/plugins/fake_tables.hpp"
#include "tests/support/outcome.hpp"

namespace kbase::tests {
namespace {

class FakeKeyStore final : public FakeTable<FakeKeyStore, kb_key_store_v1, kb_key_store> {
 public:
  FakeKeyStore() {
    using Store = kb_key_store;
    table.revision = [](Store*, kb_call*, std::uint64_t* out) {
      *out = 4;
      return current->answer;
    };
    table.find = [](Store*, kb_call*, const std::uint8_t[32], kb_key_sink sink, void* data) {
      return current->pass_key(sink, data);
    };
    table.get = [](Store*, kb_call*, kb_view, kb_key_sink sink, void* data) { return current->pass_key(sink, data); };
    table.list = [](Store*, kb_call*, kb_key_sink sink, void* data) { return current->pass_key(sink, data); };
    table.create_key = [](Store*, kb_call*, const kb_key* row) {
      current->given = std::string(row->id.data, row->id.size);
      return current->answer;
    };
    table.update_key = table.create_key;
    table.add_usage = [](Store*, kb_call*, const kb_key_usage* const* rows, std::size_t count) {
      for (const kb_key_usage* const row : std::span(rows, count))
        current->given += std::string(row->id.data, row->id.size) + '=' + std::to_string(row->requests) + '@' +
                          std::to_string(row->day) + ' ';
      return current->answer;
    };
    table.usage = [](Store*, kb_call*, std::int32_t first, std::int32_t last, kb_key_usage_sink sink, void* data) {
      current->given = std::to_string(first) + ".." + std::to_string(last);
      return sink(data, &current->usage) == 0 ? KB_OK : KB_STOPPED;
    };
    table.last_used = [](Store*, kb_call*, kb_view id, std::int32_t* out) {
      current->given = std::string(id.data, id.size);
      *out = current->last_day;
      return current->answer;
    };
    table.forget_usage = [](Store*, kb_call*, std::int32_t first) {
      current->given = std::to_string(first);
      return current->answer;
    };
    key.id = to_view("id");
    key.name = to_view("name");
    key.plan = to_view("public");
    key.digest[31] = 5;
    key.expires = KB_NEVER;
    key.scopes = KB_SCOPE_READ;
  }

  kb_status pass_key(kb_key_sink sink, void* data) {
    if (answer != KB_OK) return answer;
    return sink(data, &key) == 0 ? KB_OK : KB_STOPPED;
  }

  kb_key key = sized<kb_key>();
  kb_key_usage usage{sizeof(kb_key_usage), 20'500, to_view("id"), 3};
  std::int32_t last_day = 20'500;
  kb_status answer = KB_OK;
  std::string given;
};

class ApiKeyStoreProxy : public testing::Test {
 protected:
  HostFixture fixture_;
  FakeKeyStore fake_;
  std::unique_ptr<ports::ApiKeyStore> store_ =
      plugin_host::open_port<ports::ApiKeyStore>(fake_.table, fixture_.host, "{}").value();
  ports::Call call_;
};

TEST_F(ApiKeyStoreProxy, ReturnsTheKey) {
  fake_.key.scopes = 0xFFFFFF01;
  const auto key = store_->find(call_, {});
  ASSERT_TRUE(succeeded(key));
  ASSERT_TRUE(key->has_value());
  EXPECT_EQ((*key)->id, "id");
  EXPECT_EQ((*key)->plan, "public");
  EXPECT_EQ((*key)->digest[31], 5);
  EXPECT_FALSE((*key)->expires.has_value());
  EXPECT_FALSE((*key)->previous_digest.has_value());
  EXPECT_EQ((*key)->scopes, KB_SCOPE_READ) << "unknown scopes are ignored";
  EXPECT_EQ(store_->get(call_, "id").value()->name, "name");
  EXPECT_EQ(store_->revision(call_).value(), 4u);
}

TEST_F(ApiKeyStoreProxy, ReadsInlineIfTheTableDeclaresIt) {
  EXPECT_FALSE(store_->has_inline_reads());
  fake_.table.inline_calls = KB_KEY_STORE_INLINE_READS;
  EXPECT_TRUE(store_->has_inline_reads());
  fake_.table.flags = KB_TABLE_SERIAL;
  const auto serial = plugin_host::open_port<ports::ApiKeyStore>(fake_.table, fixture_.host, "{}").value();
  EXPECT_FALSE(serial->has_inline_reads()) << "a call that waits for its turn is not inline";
}

TEST_F(ApiKeyStoreProxy, ReturnsNothingForAMissingKey) {
  fake_.answer = KB_NOT_FOUND;
  EXPECT_FALSE(store_->find(call_, {}).value().has_value());
  EXPECT_FALSE(store_->get(call_, "id").value().has_value());
  EXPECT_TRUE(failed(store_->update(call_, {}), ErrorCode::NotFound));
  EXPECT_TRUE(failed(store_->create(call_, {}), ErrorCode::Internal)) << "the function cannot return KB_NOT_FOUND";
}

TEST_F(ApiKeyStoreProxy, PassesKeys) {
  model::ApiKey key;
  key.id = "mine";
  EXPECT_TRUE(succeeded(store_->create(call_, key)));
  EXPECT_EQ(fake_.given, "mine");
  EXPECT_TRUE(succeeded(store_->update(call_, key)));
  fake_.answer = KB_CONFLICT;
  EXPECT_TRUE(failed(store_->create(call_, key), ErrorCode::Conflict));
  EXPECT_TRUE(failed(store_->update(call_, key), ErrorCode::Conflict));
}

TEST_F(ApiKeyStoreProxy, RejectsAnInvalidKey) {
  const kb_key good = fake_.key;
  const auto is_rejected = [&](auto&& corrupt) {
    fake_.key = good;
    corrupt(fake_.key);
    return failed(store_->list(call_, [](const model::ApiKey&) { return Visit::Continue; }), ErrorCode::Internal) &&
           failed(store_->get(call_, "id"), ErrorCode::Internal);
  };
  EXPECT_TRUE(is_rejected([](kb_key& key) { key.struct_size = 8; }));
  EXPECT_TRUE(is_rejected([](kb_key& key) { key.id = {}; }));
  EXPECT_TRUE(is_rejected([](kb_key& key) { key.plan = kInvalidView; }));
  EXPECT_TRUE(is_rejected([](kb_key& key) { key.name = to_view("caf\xE9"); }));
  EXPECT_TRUE(is_rejected([](kb_key& key) { key.created = INT64_MIN; }));
  EXPECT_TRUE(is_rejected([](kb_key& key) { key.expires = KB_NEVER - 1; }));
  EXPECT_TRUE(is_rejected([](kb_key& key) { key.has_previous = 1, key.previous_expires = INT64_MAX; }));
}

using std::chrono::days;

TEST_F(ApiKeyStoreProxy, PassesAndReturnsUsage) {
  const ports::KeyUsage usage[] = {{"a", model::Day(days(2)), 5}, {"b", model::Day(days(3)), 6}};
  EXPECT_TRUE(succeeded(store_->add_usage(call_, usage)));
  EXPECT_EQ(fake_.given, "a=5@2 b=6@3 ");
  std::string described;
  EXPECT_TRUE(succeeded(store_->usage(call_, model::Day(days(7)), model::Day(days(9)), [&](const auto& row) {
    described = std::string(row.id) + '=' + std::to_string(row.requests);
    return Visit::Continue;
  })));
  EXPECT_EQ(fake_.given, "7..9");
  EXPECT_EQ(described, "id=3");
  EXPECT_EQ(store_->last_used(call_, "mine").value(), model::Day(days(20'500)));
  EXPECT_EQ(fake_.given, "mine");
  EXPECT_TRUE(succeeded(store_->delete_usage_before(call_, model::Day(days(8)))));
  EXPECT_EQ(fake_.given, "8");
  fake_.answer = KB_NOT_FOUND;
  EXPECT_EQ(store_->last_used(call_, "mine").value(), std::nullopt);
}

TEST_F(ApiKeyStoreProxy, RejectsInvalidUsage) {
  const kb_key_usage good = fake_.usage;
  const auto is_rejected = [&](auto&& corrupt) {
    fake_.usage = good;
    corrupt(fake_.usage);
    return failed(store_->usage(call_, {}, {}, [](const ports::KeyUsage&) { return Visit::Continue; }),
                  ErrorCode::Internal);
  };
  EXPECT_TRUE(is_rejected([](kb_key_usage& usage) { usage.id = {}; }));
  EXPECT_TRUE(is_rejected([](kb_key_usage& usage) { usage.id = kInvalidView; }));
  EXPECT_TRUE(is_rejected([](kb_key_usage& usage) { usage.id = to_view("caf\xE9"); }));
  EXPECT_TRUE(is_rejected([](kb_key_usage& usage) { usage.day = INT32_MIN; }));
  EXPECT_TRUE(is_rejected([](kb_key_usage& usage) { usage.struct_size = 8; }));
  fake_.last_day = INT32_MAX;
  EXPECT_TRUE(failed(store_->last_used(call_, "a"), ErrorCode::Internal));
}

TEST_F(ApiKeyStoreProxy, ReportsThatAPluginKeepsNoUsage) {
  const auto has_no_daily_usage = [this] {
    return failed(store_->add_usage(call_, {}), ErrorCode::Unsupported) &&
           failed(store_->usage(call_, {}, {}, [](const ports::KeyUsage&) { return Visit::Continue; }),
                  ErrorCode::Unsupported);
  };
  const auto has_no_last_use = [this] {
    return failed(store_->last_used(call_, "a"), ErrorCode::Unsupported) &&
           failed(store_->delete_usage_before(call_, {}), ErrorCode::Unsupported);
  };
  fake_.table.add_usage = nullptr;
  fake_.table.usage = nullptr;
  EXPECT_TRUE(has_no_daily_usage());
  fake_.table.last_used = nullptr;
  fake_.table.forget_usage = nullptr;
  EXPECT_TRUE(has_no_last_use());
  fake_.table.struct_size = offsetof(kb_key_store_v1, add_usage);
  EXPECT_TRUE(has_no_daily_usage() && has_no_last_use()) << "the plugin was built before the function existed";
}

}  // namespace
}  // namespace kbase::tests
