// SPDX-License-Identifier: Apache-2.0
#include "domain/model/api_key.hpp"

#include <gtest/gtest.h>

#include <string>

namespace kbase::model {
namespace {

using namespace std::chrono_literals;

// The checksums were computed with another implementation of CRC-32 (zlib).
struct KnownKey {
  std::string random, checksum;
};
const std::array<KnownKey, 5> kKnownKeys = {{{"00000000000000000000000000000000", "2wjyrI"},
                                             {"zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz", "4W8LJS"},
                                             {"0123456789ABCDEFGHIJKLMNOPQRSTUV", "1ggZdL"},
                                             {"WXYZabcdefghijklmnopqrstuvwxyz01", "44SYkW"},
                                             {"nYpH1couQNajvPVpqFDrtqNuObUIcCvj", "00039e"}}};

TEST(KeyText, ConsistsOfPrefixDigitsAndChecksum) {
  for (const KnownKey& key : kKnownKeys) EXPECT_TRUE(is_key_text("kb_" + key.random + key.checksum)) << key.random;
}

TEST(KeyText, EncodesInTheOrderDigitsUpperCaseLowerCase) {
  std::array<std::uint8_t, 32> digits;
  for (std::uint8_t i = 0; i < 32; ++i) digits[i] = i;
  EXPECT_EQ(key_text(digits), "kb_0123456789ABCDEFGHIJKLMNOPQRSTUV1ggZdL");
  for (std::uint8_t i = 0; i < 32; ++i) digits[i] = static_cast<std::uint8_t>((i + 32) % 62);
  EXPECT_EQ(key_text(digits), "kb_WXYZabcdefghijklmnopqrstuvwxyz0144SYkW");
}

TEST(KeyText, HasLength41) {
  EXPECT_EQ(key_text({}).size(), 41u);
  EXPECT_EQ(kKeyTextLength, 41u);
}

TEST(KeyText, IsRejectedWithAnyWrongCharacter) {
  const std::string good = "kb_0123456789ABCDEFGHIJKLMNOPQRSTUV1ggZdL";
  ASSERT_TRUE(is_key_text(good));
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string typo = good;
    typo[i] = typo[i] == 'x' ? 'y' : 'x';
    EXPECT_FALSE(is_key_text(typo)) << typo;
  }
}

TEST(KeyText, IsRejectedWithTwoAdjacentCharactersSwapped) {
  const std::string good = "kb_0123456789ABCDEFGHIJKLMNOPQRSTUV1ggZdL";
  for (std::size_t i = 0; i + 1 < good.size(); ++i) {
    std::string typo = good;
    std::swap(typo[i], typo[i + 1]);
    EXPECT_EQ(is_key_text(typo), typo == good) << typo;
  }
}

TEST(KeyText, IsRejectedInEveryOtherForm) {
  const std::string good = "kb_0123456789ABCDEFGHIJKLMNOPQRSTUV1ggZdL";
  for (const std::string& text : {std::string(), std::string("kb_"), good.substr(0, 40), good + "0", ' ' + good,
                                  good.substr(3), "KB_" + good.substr(3), "kb-" + good.substr(3), std::string(41, '\0'),
                                  std::string("kb_") + std::string(38, '_')})
    EXPECT_FALSE(is_key_text(text)) << text;
}

TEST(Scopes, HaveTheNamesOfTheCommandLine) {
  EXPECT_EQ(scope_named("read"), Scope::Read);
  EXPECT_EQ(scope_named("llm"), Scope::Llm);
  EXPECT_EQ(scope_named("codehost"), Scope::Codehost);
  for (const char* word : {"", "Read", "admin", "read "}) EXPECT_EQ(scope_named(word), std::nullopt) << word;
  EXPECT_EQ(names_of(kDefaultScopes), "read,llm,codehost");
  EXPECT_EQ(names_of(static_cast<Scopes>(Scope::Codehost)), "codehost");
  EXPECT_EQ(names_of(0), "");
}

TEST(Scopes, AreAllGrantedByDefault) {
  const ApiKey key;
  for (const Scope scope : {Scope::Read, Scope::Llm, Scope::Codehost}) EXPECT_TRUE(has_scope(key.scopes, scope));
  EXPECT_FALSE(has_scope(static_cast<Scopes>(Scope::Read), Scope::Llm));
}

class KeyValidity : public testing::Test {
 protected:
  KeyValidity() {
    key.digest.fill(1);
    old_digest.fill(2);
  }
  Instant now = Instant(std::chrono::sys_days(2026y / 3 / 14));
  ApiKey key;
  KeyDigest old_digest;
};

TEST_F(KeyValidity, HoldsOnlyForItsOwnDigest) {
  EXPECT_TRUE(authenticates(key, key.digest, now));
  EXPECT_FALSE(authenticates(key, old_digest, now));
}

TEST_F(KeyValidity, EndsWithTheExpiry) {
  key.expires = now;
  EXPECT_TRUE(authenticates(key, key.digest, now - 1ms));
  EXPECT_FALSE(authenticates(key, key.digest, now));
  EXPECT_FALSE(authenticates(key, key.digest, now + 1h));
}

TEST_F(KeyValidity, EndsWithRevocation) {
  key.revoked = true;
  key.previous_digest = old_digest;
  key.previous_expires = now + 1h;
  EXPECT_FALSE(authenticates(key, key.digest, now));
  EXPECT_FALSE(authenticates(key, old_digest, now));
}

TEST_F(KeyValidity, OutlastsARotationByTheGracePeriod) {
  key.previous_digest = old_digest;
  key.previous_expires = now + 24h;
  EXPECT_TRUE(authenticates(key, key.digest, now));
  EXPECT_TRUE(authenticates(key, old_digest, now + 24h - 1ms));
  EXPECT_FALSE(authenticates(key, old_digest, now + 24h));
  EXPECT_TRUE(authenticates(key, key.digest, now + 24h));
}

TEST_F(KeyValidity, IsNotExtendedPastTheExpiryByTheGracePeriod) {
  key.previous_digest = old_digest;
  key.previous_expires = now + 24h;
  key.expires = now + 1h;
  EXPECT_FALSE(authenticates(key, old_digest, now + 1h));
}

}  // namespace
}  // namespace kbase::model
