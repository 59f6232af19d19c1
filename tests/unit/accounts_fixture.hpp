// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <random>
#include <string>
#include <vector>

#include "adapters/memory/account_store.hpp"
#include "adapters/memory/api_key_store.hpp"
#include "adapters/memory/rate_limit_store.hpp"
#include "domain/base/text.hpp"
#include "domain/usecases/administer_accounts.hpp"
#include "domain/usecases/administer_keys.hpp"
#include "domain/usecases/deliver_mails.hpp"
#include "domain/usecases/manage_account.hpp"
#include "plugins/conformance/fixtures.hpp"
#include "tests/support/outcome.hpp"
#include "tests/support/recording_log.hpp"
#include "tests/unit/access_fixture.hpp"

namespace kbase::tests {

class SeededRandom final : public ports::Random {
 public:
  void fill(std::span<std::uint8_t> bytes) override {
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(engine_());
  }

 private:
  std::mt19937 engine_{1};
};

/// Lower-case letters stand for a conversion; a name with a space is not valid.
class LowerCaseDomains final : public ports::DomainNames {
 public:
  std::optional<std::string> to_ascii(std::string_view name) const override {
    return name.find(' ') == std::string_view::npos ? std::optional(ascii::to_lower(name)) : std::nullopt;
  }
};

/// Keeps what is sent. Fails with `failure` if it is set.
class RecordingMailer final : public ports::Mailer {
 public:
  Status send(ports::Call&, const ports::Mail& mail) override {
    ++attempts;
    if (failure) return *failure;
    sent.push_back({std::string(mail.id), std::string(mail.to), std::string(mail.text)});
    return {};
  }

  struct Sent {
    std::string id, to, text;
  };
  std::vector<Sent> sent;
  int attempts = 0;
  std::optional<Error> failure;
};

/// The text of a mail is its link.
class LinkTexts final : public ports::MailTexts {
 public:
  Result<ports::MailText> write(model::MailKind, std::string_view link) const override {
    return ports::MailText{"subject", std::string(link), {}};
  }
};

/// The use cases of accounts over stores in memory.
class AccountsFixture : public testing::Test {
 protected:
  static constexpr std::string_view kLink = "https://docs.example.org/account/confirm#";

  explicit AccountsFixture(const usecases::AccountRules& rules = {false, "developer", 2, {}})
      : manage({store, keys, administration, limiter, plans, domains, digest, random, clock}, rules) {}

  /// Delivers all mails that are due. Returns the token of the last one.
  std::string deliver() {
    const std::size_t before = mailer.sent.size();
    for (Result<bool> more = true; more && *more;) more = delivery.deliver_one(call);
    if (mailer.sent.size() == before) return {};
    const std::string& text = mailer.sent.back().text;
    return text.starts_with(kLink) ? text.substr(kLink.size()) : std::string();
  }

  /// Signs a new account up and returns its session.
  std::string signed_up(const std::string& email = "reader@example.org") {
    EXPECT_TRUE(succeeded(manage.sign_up(call, email, client)));
    const auto session = manage.confirm(call, deliver());
    EXPECT_TRUE(succeeded(session));
    return session ? session->text : std::string();
  }

  model::Account only_account() {
    std::vector<model::Account> found;
    EXPECT_TRUE(succeeded(store.list(call, [&found](const model::Account& account) {
      found.push_back(account);
      return Visit::Continue;
    })));
    EXPECT_EQ(found.size(), 1u);
    return found.empty() ? model::Account() : found.front();
  }

  bool authenticates(const std::string& text) {
    const auto key = keys.find(call, digest.sha256(text));
    return key && *key && model::authenticates(**key, digest.sha256(text), clock.now());
  }

  ports::Call call;
  conformance::ManualClock clock;
  memory::MemoryAccountStore store;
  memory::MemoryApiKeyStore keys;
  memory::MemoryRateLimitStore limiter{clock};
  ConfiguredPlans plans;
  ToyDigest digest;
  SeededRandom random;
  LowerCaseDomains domains;
  RecordingMailer mailer;
  LinkTexts texts;
  PlainPseudonyms pseudonyms;
  RecordingLog log;
  std::string client = "192.0.2.7";
  usecases::AdministerKeys administration{{keys, plans, digest, random, clock}};
  usecases::ManageAccount manage;
  usecases::AdministerAccounts operators{{store, keys, digest, clock}};
  usecases::DeliverMails delivery{
      {store, mailer, texts, digest, pseudonyms, random, clock, log}, "https://docs.example.org", {}};
};

}  // namespace kbase::tests
