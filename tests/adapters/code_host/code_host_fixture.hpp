// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/code_host/calls.hpp"
#include "ports/driven/code_host.hpp"
#include "tests/adapters/curl_fixture.hpp"
#include "tests/support/fake_service.hpp"

namespace kbase::tests {

/// Records the result of a lookup, each row as text. Members that the service does not return are omitted.
class UserRecorder final : public ports::UserVisitor {
 public:
  std::string profile_row;
  std::vector<std::string> repository_rows;
  std::string period;
  std::map<std::string, std::uint64_t> days;
  std::map<std::string, double> languages;
  int calls = 0;

  Visit profile(const ports::UserProfile& profile) override {
    Row row(profile.username);
    row.add("name", profile.name);
    row.add("bio", profile.bio);
    row.add("company", profile.company);
    row.add("location", profile.location);
    row.add("website", profile.website);
    row.add("avatar", profile.avatar_url);
    row.add("url", profile.profile_url);
    row.add("followers", profile.followers);
    row.add("following", profile.following);
    row.add("repositories", profile.public_repositories);
    row.add("created", profile.created);
    profile_row = row.text;
    return next();
  }
  Visit repository(const ports::Repository& repository) override {
    Row row(repository.full_name);
    row.add("name", std::optional(repository.name));
    row.add("description", repository.description);
    row.add("url", repository.url);
    row.add("language", repository.language);
    for (const std::string_view topic : repository.topics.value_or(model::TextList()))
      row.add("topic", std::optional(topic));
    row.add("stars", repository.stars);
    row.add("forks", repository.forks);
    row.add("fork", repository.is_fork);
    row.add("archived", repository.is_archived);
    row.add("created", repository.created);
    row.add("updated", repository.updated);
    repository_rows.push_back(row.text);
    return next();
  }
  Visit contributions(const ports::Contributions& contributions) override {
    period = model::format_day(contributions.first) + " to " + model::format_day(contributions.last) + ": " +
             std::string(contributions.source);
    return next();
  }
  Visit contribution_day(model::Day day, std::uint64_t count) override {
    days[model::format_day(day)] = count;
    return next();
  }
  Visit language(std::string_view name, double share) override {
    languages.emplace(name, share);
    return next();
  }

 private:
  struct Row {
    explicit Row(std::string_view start) : text(start) {}
    void add(std::string_view name, std::optional<std::string_view> value) {
      if (value) text.append(" ").append(name).append("=").append(*value);
    }
    void add(std::string_view name, std::optional<std::uint64_t> value) {
      if (value) add(name, std::optional<std::string_view>(std::to_string(*value)));
    }
    void add(std::string_view name, std::optional<bool> value) {
      if (value) add(name, std::optional<std::string_view>(*value ? "yes" : "no"));
    }
    void add(std::string_view name, std::optional<model::Instant> value) {
      if (value) add(name, std::optional<std::string_view>(model::format_instant(*value)));
    }
    std::string text;
  };

  Visit next() {
    ++calls;
    return Visit::Continue;
  }
};

/// A code host adapter on the real HTTP client and a fake service. The clock stands at 2026-03-14T12:00:00Z.
template <class Host> class CodeHostFixture {
 public:
  CurlFixture curl;
  FakeService service;
  UserRecorder recorder;

  code_host::Options options() const {
    code_host::Options options;
    options.base_url = service.url();
    return options;
  }

  /// Reopens the adapter with `options`.
  void open(const code_host::Options& options) {
    client_ = curl.client(options.base_url);
    auto opened = Host::open(client_.get(), curl.clock, options);
    ASSERT_TRUE(succeeded(opened));
    host_ = *std::move(opened);
  }
  void open_with_token() {
    code_host::Options with_token = options();
    with_token.token = "s3cret";
    open(with_token);
  }

  Host& host() {
    if (host_ == nullptr) open(options());
    return *host_;
  }

  /// Looks a user up. The result is in `recorder`.
  Result<ports::LookUp> look_up(std::string_view username, std::string_view validator = {}) {
    recorder = UserRecorder();
    return host().look_up(curl.call, username, validator, recorder);
  }

 private:
  std::unique_ptr<ports::HttpClient> client_;
  std::unique_ptr<Host> host_;
};

/// For EXPECT_TRUE: the call failed with this code, and the error detail contains `detail`.
inline testing::AssertionResult failed_for(const Result<ports::LookUp>& result, ErrorCode code,
                                           std::string_view detail = {}) {
  if (result) return testing::AssertionFailure() << "it succeeded";
  const Error& error = result.error();
  if (error.code == code && error.detail.find(detail) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << name_of(error.code) << ": " << error.detail;
}

}  // namespace kbase::tests
