// SPDX-License-Identifier: Apache-2.0
#include "domain/usecases/administer_keys.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <set>
#include <vector>

#include "adapters/memory/api_key_store.hpp"
#include "plugins/conformance/fixtures.hpp"
#include "tests/support/mocks/driven/api_key_store.hpp"
#include "tests/support/outcome.hpp"
#include "tests/unit/access_fixture.hpp"

namespace kbase::tests {
namespace {

using namespace std::chrono_literals;
using trompeloeil::_;

/// Returns the bytes of `script`, then every byte value in order.
class ScriptedRandom final : public ports::Random {
 public:
  void fill(std::span<std::uint8_t> bytes) override {
    for (std::uint8_t& byte : bytes) {
      if (script.empty()) {
        byte = next_++;
      } else {
        byte = script.front();
        script.pop_front();
      }
    }
  }
  std::deque<std::uint8_t> script;

 private:
  std::uint8_t next_ = 0;
};

class AdministerKeys : public testing::Test {
 protected:
  ports::IssuedKey created(const ports::NewKey& new_key = {"reader", "developer", std::nullopt,
                                                           model::kDefaultScopes}) {
    const auto issued = administration_.create(call_, new_key);
    EXPECT_TRUE(succeeded(issued));
    return issued ? *issued : ports::IssuedKey{};
  }

  /// The key in the store.
  model::ApiKey stored(std::string_view id) {
    const auto key = store_.get(call_, id);
    EXPECT_TRUE(key && *key);
    return key && *key ? **key : model::ApiKey{};
  }

  bool authenticates(const model::ApiKey& key, const std::string& text) const {
    return model::authenticates(key, digest_.sha256(text), clock_.now());
  }

  conformance::ManualClock clock_;
  memory::MemoryApiKeyStore store_;
  ConfiguredPlans plans_;
  ToyDigest digest_;
  ScriptedRandom random_;
  usecases::AdministerKeys administration_{{store_, plans_, digest_, random_, clock_}};
  ports::Call call_;
};

TEST_F(AdministerKeys, CreatesAKeyAndReturnsItsTextOnce) {
  const auto issued = created({"reader", "premium", clock_.now() + 24h, 3});
  EXPECT_TRUE(model::is_key_text(issued.text));
  const model::ApiKey key = stored(issued.key.id);
  EXPECT_EQ(key.name, "reader");
  EXPECT_EQ(key.plan, "premium");
  EXPECT_EQ(key.expires, clock_.now() + 24h);
  EXPECT_EQ(key.scopes, 3);
  EXPECT_EQ(key.created, clock_.now());
  EXPECT_FALSE(key.revoked);
  EXPECT_EQ(key.previous_digest, std::nullopt);
  EXPECT_EQ(key.digest, digest_.sha256(issued.text));
}

TEST_F(AdministerKeys, PassesNoKeyTextToTheStore) {
  MockApiKeyStore store;
  usecases::AdministerKeys administration({store, plans_, digest_, random_, clock_});
  model::ApiKey stored;
  REQUIRE_CALL(store, create(_, _)).LR_SIDE_EFFECT(stored = _2).RETURN(Status());
  const auto issued = administration.create(call_, {"reader", "developer", std::nullopt, model::kDefaultScopes});
  ASSERT_TRUE(succeeded(issued));
  for (const std::string* text : {&stored.id, &stored.name, &stored.plan})
    EXPECT_EQ(text->find(issued->text.substr(3, 8)), std::string::npos);
}

TEST_F(AdministerKeys, GivesEveryKeyItsOwnTextAndId) {
  std::set<std::string> texts, ids;
  for (int i = 0; i < 5; ++i) {
    const auto issued = created();
    texts.insert(issued.text);
    ids.insert(issued.key.id);
  }
  EXPECT_EQ(texts.size(), 5u);
  EXPECT_EQ(ids.size(), 5u);
}

TEST_F(AdministerKeys, RejectsRandomBytesThatWouldBiasTheDigits) {
  random_.script = {255, 248, 0, 247, 61, 62};
  const auto issued = created();
  EXPECT_EQ(issued.text.substr(0, 7), "kb_0zz0") << "248 to 255 are left out, 247 and 61 are z, 62 is 0 again";
}

TEST_F(AdministerKeys, RejectsAPlanThatIsNotConfigured) {
  const auto issued = administration_.create(call_, {"reader", "enterprise", std::nullopt, model::kDefaultScopes});
  EXPECT_TRUE(failed(issued, ErrorCode::InvalidArgument, "plan"));
  const auto key = created().key;
  ports::KeyChange change;
  change.plan = "enterprise";
  EXPECT_TRUE(failed(administration_.update(call_, key.id, change), ErrorCode::InvalidArgument, "plan"));
  EXPECT_EQ(stored(key.id).plan, "developer");
}

TEST_F(AdministerKeys, NamesTheConfiguredPlans) {
  const auto issued = administration_.create(call_, {"reader", "gold", std::nullopt, model::kDefaultScopes});
  ASSERT_TRUE(failed(issued, ErrorCode::InvalidArgument, "plan"));
  EXPECT_EQ(issued.error().message, "the configuration has no plan 'gold'; its plans are: developer, premium, public");
}

TEST_F(AdministerKeys, RejectsAnExpiryInThePast) {
  for (const auto since : {0ms, 1ms})
    EXPECT_TRUE(failed(administration_.create(call_, {"reader", "developer", clock_.now() - since, 7}),
                       ErrorCode::InvalidArgument, "expires"));
  created({"reader", "developer", clock_.now() + 1ms, 7});
}

TEST_F(AdministerKeys, AcceptsANameOf1To200CharactersWithoutControlCharacters) {
  std::string longest;
  for (int i = 0; i < 200; ++i) longest += "é";
  for (const std::string& name : {std::string("a"), longest})
    EXPECT_EQ(stored(created({name, "developer", std::nullopt, model::kDefaultScopes}).key.id).name, name);
  for (const std::string& name : {std::string(), longest + "e", std::string("a\nb"), std::string("\xFF")})
    EXPECT_TRUE(failed(administration_.create(call_, {name, "developer", std::nullopt, model::kDefaultScopes}),
                       ErrorCode::InvalidArgument, "name"));
}

TEST_F(AdministerKeys, ListsEveryKey) {
  const auto a = created().key.id, b = created().key.id;
  std::set<std::string> listed;
  ASSERT_TRUE(succeeded(administration_.list(call_, [&](const model::ApiKey& key) {
    listed.insert(key.id);
    return Visit::Continue;
  })));
  EXPECT_EQ(listed, (std::set{a, b}));
}

TEST_F(AdministerKeys, RevokesAKeyPermanently) {
  const auto issued = created();
  ASSERT_TRUE(authenticates(stored(issued.key.id), issued.text));
  ASSERT_TRUE(succeeded(administration_.revoke(call_, issued.key.id)));
  EXPECT_FALSE(authenticates(stored(issued.key.id), issued.text));
  const auto again = administration_.revoke(call_, issued.key.id);
  ASSERT_TRUE(succeeded(again));
  EXPECT_FALSE(*again) << "revoking again changes nothing";
  ports::KeyChange change;
  change.plan = "premium";
  ASSERT_TRUE(succeeded(administration_.update(call_, issued.key.id, change)));
  EXPECT_FALSE(authenticates(stored(issued.key.id), issued.text));
}

TEST_F(AdministerKeys, RotatesToAnotherTextAndKeepsTheOldOneForTheGracePeriod) {
  const auto first = created();
  const auto second = administration_.rotate(call_, first.key.id, 24h);
  ASSERT_TRUE(succeeded(second));
  EXPECT_NE(second->text, first.text);
  EXPECT_TRUE(model::is_key_text(second->text));
  EXPECT_EQ(second->key.id, first.key.id);
  const model::ApiKey key = stored(first.key.id);
  EXPECT_TRUE(authenticates(key, first.text));
  EXPECT_TRUE(authenticates(key, second->text));
  clock_.advance(24h - 1ms);
  EXPECT_TRUE(authenticates(key, first.text));
  clock_.advance(1ms);
  EXPECT_FALSE(authenticates(key, first.text));
  EXPECT_TRUE(authenticates(key, second->text));
}

TEST_F(AdministerKeys, InvalidatesTheOldTextAtOnceWithoutAGracePeriod) {
  const auto first = created();
  ASSERT_TRUE(succeeded(administration_.rotate(call_, first.key.id, 0s)));
  EXPECT_FALSE(authenticates(stored(first.key.id), first.text));
}

TEST_F(AdministerKeys, KeepsAtMostOneOldText) {
  const auto first = created();
  const auto second = administration_.rotate(call_, first.key.id, 24h);
  const auto third = administration_.rotate(call_, first.key.id, 24h);
  ASSERT_TRUE(second && third);
  const model::ApiKey key = stored(first.key.id);
  EXPECT_FALSE(authenticates(key, first.text));
  EXPECT_TRUE(authenticates(key, second->text));
  EXPECT_TRUE(authenticates(key, third->text));
}

TEST_F(AdministerKeys, ChangesNothingElseByARotation) {
  const auto first = created({"reader", "premium", clock_.now() + 48h, 1});
  clock_.advance(1h);
  ASSERT_TRUE(succeeded(administration_.rotate(call_, first.key.id, 1h)));
  const model::ApiKey key = stored(first.key.id);
  EXPECT_EQ(key.name, "reader");
  EXPECT_EQ(key.plan, "premium");
  EXPECT_EQ(key.expires, first.key.expires);
  EXPECT_EQ(key.scopes, 1);
  EXPECT_EQ(key.created, first.key.created);
}

TEST_F(AdministerKeys, ASuspendedKeyStaysSuspendedByARotation) {
  ports::NewKey wanted{"reader", "developer"};
  wanted.suspended = true;
  const auto first = administration_.create(call_, wanted);
  ASSERT_TRUE(succeeded(first));
  const auto second = administration_.rotate(call_, first->key.id, 1h);
  ASSERT_TRUE(succeeded(second));
  EXPECT_TRUE(stored(first->key.id).suspended);
  EXPECT_FALSE(authenticates(stored(first->key.id), second->text));
}
TEST_F(AdministerKeys, RejectsTheRotationOfARevokedKey) {
  const auto first = created();
  ASSERT_TRUE(succeeded(administration_.revoke(call_, first.key.id)));
  EXPECT_TRUE(failed(administration_.rotate(call_, first.key.id, 24h), ErrorCode::InvalidArgument, "id"));
}

TEST_F(AdministerKeys, RotatesAnExpiredKeyAfterItsExpiryIsExtended) {
  const auto first = created({"reader", "developer", clock_.now() + 1h, 7});
  clock_.advance(1h);
  const auto refused = administration_.rotate(call_, first.key.id, 24h);
  ASSERT_TRUE(failed(refused, ErrorCode::InvalidArgument, "expires"));
  ports::KeyChange change;
  change.expires = clock_.now() + 1h;
  ASSERT_TRUE(succeeded(administration_.update(call_, first.key.id, change)));
  EXPECT_TRUE(succeeded(administration_.rotate(call_, first.key.id, 24h)));
}

TEST_F(AdministerKeys, ChangesOnlyTheGivenMembers) {
  const auto issued = created({"reader", "developer", clock_.now() + 24h, 7});
  ports::KeyChange change;
  change.name = "writer";
  ASSERT_TRUE(succeeded(administration_.update(call_, issued.key.id, change)));
  model::ApiKey key = stored(issued.key.id);
  EXPECT_EQ(key.name, "writer");
  EXPECT_EQ(key.plan, "developer");
  EXPECT_EQ(key.expires, clock_.now() + 24h);
  EXPECT_EQ(key.scopes, 7);
  EXPECT_TRUE(authenticates(key, issued.text));

  change = {};
  change.plan = "premium";
  change.expires = clock_.now() + 1h;
  change.scopes = 1;
  const auto updated = administration_.update(call_, issued.key.id, change);
  ASSERT_TRUE(succeeded(updated));
  key = stored(issued.key.id);
  EXPECT_EQ(key.name, "writer");
  EXPECT_EQ(key.plan, "premium");
  EXPECT_EQ(key.expires, clock_.now() + 1h);
  EXPECT_EQ(key.scopes, 1);
  EXPECT_EQ(updated->plan, "premium");
}

TEST_F(AdministerKeys, RemovesTheExpiryOfAKey) {
  const auto issued = created({"reader", "developer", clock_.now() + 24h, 7});
  ports::KeyChange change;
  change.expires.emplace(std::nullopt);
  ASSERT_TRUE(succeeded(administration_.update(call_, issued.key.id, change)));
  EXPECT_EQ(stored(issued.key.id).expires, std::nullopt);
}

TEST_F(AdministerKeys, ReportsTheUsageOfKeys) {
  const model::Day day = model::day_of(clock_.now());
  const ports::KeyUsage usage[] = {{"key_a", day, 3}};
  ASSERT_TRUE(succeeded(store_.add_usage(call_, usage)));
  std::uint64_t requests = 0;
  ASSERT_TRUE(succeeded(administration_.usage(call_, day, day, [&](const ports::KeyUsage& row) {
    requests += row.requests;
    return Visit::Continue;
  })));
  EXPECT_EQ(requests, 3u);
  EXPECT_EQ(administration_.last_used(call_, "key_a").value(), day);
}

TEST_F(AdministerKeys, RejectsAnEntireChangeWithAnInvalidName) {
  const auto issued = created();
  ports::KeyChange change;
  change.name = "";
  change.plan = "premium";
  EXPECT_TRUE(failed(administration_.update(call_, issued.key.id, change), ErrorCode::InvalidArgument, "name"));
  EXPECT_EQ(stored(issued.key.id).plan, "developer");
}

TEST_F(AdministerKeys, ChangesAKeyWhosePlanIsNoLongerConfigured) {
  const auto issued = created();
  plans_.limits.erase("developer");
  ports::KeyChange change;
  change.expires = clock_.now();
  EXPECT_TRUE(succeeded(administration_.update(call_, issued.key.id, change)));
  EXPECT_EQ(stored(issued.key.id).expires, clock_.now());
}

TEST_F(AdministerKeys, ReturnsNotFoundForAnUnknownKey) {
  EXPECT_TRUE(failed(administration_.revoke(call_, "key_x"), ErrorCode::NotFound));
  EXPECT_TRUE(failed(administration_.rotate(call_, "key_x", 1h), ErrorCode::NotFound));
  EXPECT_TRUE(failed(administration_.update(call_, "key_x", {}), ErrorCode::NotFound));
}

TEST_F(AdministerKeys, ReturnsTheErrorOfTheStore) {
  MockApiKeyStore store;
  usecases::AdministerKeys administration({store, plans_, digest_, random_, clock_});
  model::ApiKey key;
  key.id = "key_a";
  ALLOW_CALL(store, get(_, _)).RETURN(Result<std::optional<model::ApiKey>>(key));
  ALLOW_CALL(store, create(_, _)).RETURN(error_of(ErrorCode::Conflict));
  ALLOW_CALL(store, update(_, _)).RETURN(error_of(ErrorCode::Unavailable));
  EXPECT_TRUE(failed(administration.create(call_, {"reader", "developer", std::nullopt, 7}), ErrorCode::Conflict));
  EXPECT_TRUE(failed(administration.revoke(call_, "key_a"), ErrorCode::Unavailable));
  EXPECT_TRUE(failed(administration.rotate(call_, "key_a", 1h), ErrorCode::Unavailable));
  EXPECT_TRUE(failed(administration.update(call_, "key_a", {}), ErrorCode::Unavailable));
}

}  // namespace
}  // namespace kbase::tests
