// SPDX-License-Identifier: Apache-2.0
#include "app/runtime/keys_and_plans.hpp"

#include <gtest/gtest.h>

#include "plugins/conformance/fixtures.hpp"

namespace kbase::runtime {
namespace {

/// A store with one key that a test can make unavailable.
class OneKeyStore final : public ports::ApiKeyStore {
 public:
  Result<std::uint64_t> revision(ports::Call&) override {
    if (unavailable) return unavailable_error();
    return revision_now;
  }
  Result<std::optional<model::ApiKey>> find(ports::Call&, const model::KeyDigest& digest) override {
    ++finds;
    if (unavailable) return unavailable_error();
    return digest == key.digest ? std::optional(key) : std::nullopt;
  }
  Result<std::optional<model::ApiKey>> get(ports::Call&, std::string_view) override { return std::optional(key); }
  Status list(ports::Call&, Visitor<model::ApiKey>) override { return {}; }
  Status create(ports::Call&, const model::ApiKey&) override { return {}; }
  Status update(ports::Call&, const model::ApiKey&) override { return {}; }
  Status add_usage(ports::Call&, std::span<const ports::KeyUsage>) override { return {}; }
  Status usage(ports::Call&, model::Day, model::Day, Visitor<ports::KeyUsage>) override { return {}; }
  Result<std::optional<model::Day>> last_used(ports::Call&, std::string_view) override {
    return std::optional<model::Day>();
  }
  Status delete_usage_before(ports::Call&, model::Day) override { return {}; }
  bool has_inline_reads() const override { return are_reads_inline; }

  model::ApiKey key;
  std::uint64_t revision_now = 1;
  bool unavailable = false;
  bool are_reads_inline = false;
  int finds = 0;

 private:
  static Error unavailable_error() { return {ErrorCode::Unavailable, "away"}; }
};

class KeyCacheTest : public testing::Test {
 protected:
  KeyCacheTest() {
    store_.key.id = "key_1";
    store_.key.digest.fill(7);
    cache_.refresh();
  }

  conformance::ManualClock clock_;
  OneKeyStore store_;
  KeyCache cache_{store_, clock_};
  ports::Call call_;
};

TEST_F(KeyCacheTest, QueriesTheStoreOncePerKey) {
  EXPECT_EQ((*cache_.find(call_, store_.key.digest))->id, "key_1");
  EXPECT_EQ((*cache_.find(call_, store_.key.digest))->id, "key_1");
  EXPECT_EQ(store_.finds, 1);
}

TEST_F(KeyCacheTest, ReadsInlineIfTheStoreDoes) {
  ASSERT_TRUE(*cache_.find(call_, store_.key.digest));
  EXPECT_FALSE(cache_.has_inline_reads()) << "an entry may expire before it is read";
  store_.are_reads_inline = true;
  EXPECT_TRUE(cache_.has_inline_reads());
}

TEST_F(KeyCacheTest, CachesThatAKeyIsUnknown) {
  EXPECT_FALSE(*cache_.find(call_, model::KeyDigest{}));
  EXPECT_FALSE(*cache_.find(call_, model::KeyDigest{}));
  EXPECT_EQ(store_.finds, 1);
}

TEST_F(KeyCacheTest, ClearsTheCacheWhenTheStoreChanges) {
  ASSERT_TRUE(*cache_.find(call_, store_.key.digest));
  store_.key.revoked = true;
  ++store_.revision_now;
  cache_.refresh();
  EXPECT_TRUE((*cache_.find(call_, store_.key.digest))->revoked);
}

TEST_F(KeyCacheTest, ServesKnownKeysForFiveMinutesWithoutTheStore) {
  ASSERT_TRUE(*cache_.find(call_, store_.key.digest));
  store_.unavailable = true;
  clock_.advance(std::chrono::minutes(5));
  cache_.refresh();
  EXPECT_TRUE(*cache_.find(call_, store_.key.digest));
  clock_.advance(std::chrono::seconds(1));
  cache_.refresh();
  EXPECT_FALSE(cache_.find(call_, store_.key.digest));
}

TEST_F(KeyCacheTest, ServesNoEntryOlderThanFiveMinutesWhileChangeChecksFail) {
  ASSERT_TRUE(*cache_.find(call_, store_.key.digest));
  ASSERT_FALSE(*cache_.find(call_, model::KeyDigest{}));
  store_.key.revoked = true;
  clock_.advance(std::chrono::minutes(5) + std::chrono::milliseconds(1));  // as if refresh() hung in the store
  EXPECT_TRUE((*cache_.find(call_, store_.key.digest))->revoked);
  store_.unavailable = true;
  EXPECT_FALSE(cache_.find(call_, model::KeyDigest{}));
}

TEST_F(KeyCacheTest, ServesEntriesAgainWhenTheStoreIsBackAndUnchanged) {
  ASSERT_TRUE(*cache_.find(call_, store_.key.digest));
  store_.unavailable = true;
  clock_.advance(std::chrono::minutes(6));
  cache_.refresh();
  EXPECT_FALSE(cache_.find(call_, store_.key.digest));
  store_.unavailable = false;
  cache_.refresh();
  EXPECT_TRUE(*cache_.find(call_, store_.key.digest));
  EXPECT_EQ(store_.finds, 2);
}

TEST_F(KeyCacheTest, KeepsValidKeysDuringAFloodOfInvalidOnes) {
  ASSERT_TRUE(*cache_.find(call_, store_.key.digest));
  for (std::uint32_t i = 0; i < 25'000; ++i) {
    model::KeyDigest made_up{};
    for (std::size_t byte = 0; byte < 4; ++byte) made_up[byte] = static_cast<std::uint8_t>(i >> (8 * byte));
    ASSERT_FALSE(*cache_.find(call_, made_up));
  }
  const int finds_before = store_.finds;
  EXPECT_TRUE(*cache_.find(call_, store_.key.digest));
  EXPECT_EQ(store_.finds, finds_before);
}

TEST_F(KeyCacheTest, FindsAPreviouslyUnknownKeyAfterTheNextChangeCheck) {
  const model::KeyDigest later{9};
  ASSERT_FALSE(*cache_.find(call_, later));
  store_.key.digest = later;
  ++store_.revision_now;
  cache_.refresh();
  EXPECT_TRUE(*cache_.find(call_, later));
}

TEST_F(KeyCacheTest, ReturnsThatTheStoreIsUnavailable) {
  store_.unavailable = true;
  const auto found = cache_.find(call_, store_.key.digest);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, ErrorCode::Unavailable);
}

}  // namespace
}  // namespace kbase::runtime
