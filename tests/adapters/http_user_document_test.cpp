// SPDX-License-Identifier: Apache-2.0
#include "adapters/http/representation.hpp"

#include <gtest/gtest.h>

#include <array>
#include <nlohmann/json.hpp>

namespace kbase::tests {
namespace {

using Json = nlohmann::json;

class UserDocument : public testing::Test {
 protected:
  UserDocument() { profile_.username = "ada"; }

  Json written() { return Json::parse(writer_->finish()); }

  std::unique_ptr<ports::UserWriter> writer_ = http::make_user_document();
  ports::UserProfile profile_;
};

TEST_F(UserDocument, HasEveryMemberAndNullForAbsentOnes) {
  writer_->profile(profile_);
  const Json nothing = nullptr;
  EXPECT_EQ(written(), Json({{"profile",
                              {{"username", "ada"},
                               {"name", nothing},
                               {"bio", nothing},
                               {"company", nothing},
                               {"location", nothing},
                               {"website", nothing},
                               {"avatar_url", nothing},
                               {"profile_url", nothing},
                               {"followers", nothing},
                               {"following", nothing},
                               {"public_repositories", nothing},
                               {"created", nothing}}},
                             {"repositories", Json::array()},
                             {"contributions", nothing},
                             {"languages", Json::object()}}));
}

TEST_F(UserDocument, ListsRepositoriesInTheirOrder) {
  writer_->profile(profile_);
  const std::array<std::string_view, 2> topics{"math", "a \"b\""};
  ports::Repository repository;
  repository.name = "engine";
  repository.full_name = "ada/engine";
  repository.topics = topics;
  repository.stars = 3;
  repository.is_fork = false;
  repository.updated = model::parse_instant("2026-03-14T12:00:00Z");
  writer_->repository(repository);
  repository.name = "notes";
  writer_->repository(repository);
  const Json repositories = written().at("repositories");
  ASSERT_EQ(repositories.size(), 2u);
  EXPECT_EQ(repositories[1].at("name"), "notes");
  const Json& engine = repositories[0];
  EXPECT_EQ(engine.at("topics"), Json({"math", "a \"b\""}));
  EXPECT_EQ(engine.at("stars"), 3);
  EXPECT_EQ(engine.at("fork"), false);
  EXPECT_EQ(engine.at("archived"), nullptr);
  EXPECT_EQ(engine.at("updated"), "2026-03-14T12:00:00Z");
  EXPECT_EQ(engine.size(), 12u);
}

TEST_F(UserDocument, CountsContributionsAndOmitsDaysWithoutAny) {
  const model::Day first = *model::parse_day("2026-03-01");
  writer_->profile(profile_);
  writer_->contributions({first, first + std::chrono::days(6), "events"});
  writer_->contribution_day(first, 2);
  writer_->contribution_day(first + std::chrono::days(1), 0);
  writer_->contribution_day(first + std::chrono::days(2), 5);
  EXPECT_EQ(written().at("contributions"), Json({{"total", 7},
                                                 {"period", {{"from", "2026-03-01"}, {"to", "2026-03-07"}}},
                                                 {"daily", {{"2026-03-01", 2}, {"2026-03-03", 5}}},
                                                 {"source", "events"}}));
}

TEST_F(UserDocument, ListsSharesOfLanguages) {
  writer_->profile(profile_);
  writer_->language("C++", 0.75);
  writer_->language("Objective-C \"++\"", 0.25);
  EXPECT_EQ(written().at("languages"), Json({{"C++", 0.75}, {"Objective-C \"++\"", 0.25}}));
}

}  // namespace
}  // namespace kbase::tests
