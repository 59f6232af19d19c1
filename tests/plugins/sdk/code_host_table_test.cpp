// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "tests/plugins/sdk/fake_host.hpp"
#include "tests/support/mocks/driven/code_host.hpp"
#include "tests/support/outcome.hpp"

namespace kbase::tests {
namespace {
using trompeloeil::_;

/// Records the rows as a server in C would receive them.
struct RecordingSink {
  RecordingSink() {
    sink.struct_size = sizeof sink;
    sink.data = this;
    sink.profile = [](void* data, const kb_profile* row) {
      of(data).profile = *row;
      return of(data).note(sdk::text_of(row->username));
    };
    sink.repository = [](void* data, const kb_repository* row) {
      of(data).repository = *row;
      return of(data).note(sdk::text_of(row->full_name));
    };
    sink.contributions = [](void* data, const kb_contributions* row) {
      return of(data).note(sdk::text_of(row->source));
    };
    sink.contribution_day = [](void* data, std::int32_t day, std::uint64_t count) {
      return of(data).note(std::to_string(day) + ":" + std::to_string(count));
    };
    sink.language = [](void* data, kb_view name, double) { return of(data).note(sdk::text_of(name)); };
    sink.validator = [](void* data, kb_view validator) { of(data).note(sdk::text_of(validator)); };
  }
  static RecordingSink& of(void* data) { return *static_cast<RecordingSink*>(data); }
  std::int32_t note(std::string_view what) {
    rows.append(what).append(" ");
    return stops ? 1 : 0;
  }

  kb_code_host_sink sink{};
  kb_profile profile{};
  kb_repository repository{};
  std::string rows;
  bool stops = false;
};

using CodeHostInstance = TestInstance<ports::CodeHost, MockCodeHost>;

kb_status look_up(CodeHostInstance& host, const RecordingSink& sink, std::int32_t& unchanged) {
  return host.table.look_up(host.handle, host.call(), sdk::view_of("ada"), sdk::view_of("etag"), &sink.sink,
                            &unchanged);
}

Result<ports::LookUp> visit_profile(ports::UserVisitor& visitor) {
  ports::UserProfile profile;
  profile.username = "ada";
  profile.bio = "";
  profile.created = model::parse_instant("2011-01-25T18:44:36Z");
  profile.followers = 7;
  if (visitor.profile(profile) == Visit::Stop) return Error{ErrorCode::Cancelled, "It was stopped."};
  ports::Repository repository;
  repository.name = "engine";
  repository.full_name = "ada/engine";
  repository.topics = model::TextList();
  repository.is_archived = false;
  visitor.repository(repository);
  visitor.contributions({model::Day(), model::Day(), "calendar"});
  visitor.contribution_day(model::Day(std::chrono::days(3)), 5);
  visitor.language("C++", 1);
  return ports::LookUp{ports::LookUp::Outcome::Updated, "etag2"};
}

TEST(CodeHostTables, PassPresentMembersAndMarkAbsentOnes) {
  CodeHostInstance host;
  RecordingSink sink;
  std::int32_t unchanged = 7;
  REQUIRE_CALL(host.implementation, look_up(_, "ada", "etag", _)).RETURN(visit_profile(_4));
  EXPECT_EQ(look_up(host, sink, unchanged), KB_OK);
  EXPECT_EQ(unchanged, 0);
  EXPECT_EQ(sink.rows, "ada ada/engine calendar 3:5 C++ etag2 ");
  EXPECT_EQ(sink.profile.name.data, nullptr);
  EXPECT_NE(sink.profile.bio.data, nullptr) << "an empty text is present";
  EXPECT_EQ(sink.profile.followers, 7u);
  EXPECT_EQ(sink.profile.following, KB_UNKNOWN_NUMBER);
  EXPECT_EQ(sink.repository.is_fork, -1);
  EXPECT_EQ(sink.repository.is_archived, 0);
  EXPECT_NE(sink.repository.topics, nullptr) << "an empty list is present too";
}

TEST(CodeHostTables, ReportUnchanged) {
  CodeHostInstance host;
  RecordingSink sink;
  std::int32_t unchanged = 0;
  REQUIRE_CALL(host.implementation, look_up(_, _, _, _)).RETURN(ports::LookUp{ports::LookUp::Outcome::Unchanged, {}});
  EXPECT_EQ(look_up(host, sink, unchanged), KB_OK);
  EXPECT_EQ(unchanged, 1);
  EXPECT_EQ(sink.rows, "");
}

TEST(CodeHostTables, ReportStoppedNotFoundOrTheError) {
  CodeHostInstance host;
  RecordingSink sink;
  sink.stops = true;
  std::int32_t unchanged = 0;
  {
    REQUIRE_CALL(host.implementation, look_up(_, _, _, _)).RETURN(visit_profile(_4));
    EXPECT_EQ(look_up(host, sink, unchanged), KB_STOPPED);
  }
  ALLOW_CALL(host.implementation, look_up(_, _, _, _)).RETURN(Error{ErrorCode::NotFound, "There is no such user."});
  EXPECT_EQ(look_up(host, sink, unchanged), KB_NOT_FOUND);
  ALLOW_CALL(host.implementation, look_up(_, _, _, _))
      .RETURN(Error{ErrorCode::Unavailable, "Later.", {}, {}, std::chrono::seconds(3)});
  EXPECT_EQ(look_up(host, sink, unchanged), KB_UNAVAILABLE);
  EXPECT_EQ(host.host.explained->retry_after, std::chrono::seconds(3));
}

TEST(CodeHostTables, CheckWhetherAUsernameIsPossible) {
  CodeHostInstance host;
  ALLOW_CALL(host.implementation, is_username("ada")).RETURN(true);
  ALLOW_CALL(host.implementation, is_username("-")).RETURN(false);
  EXPECT_NE(host.table.is_username(host.handle, sdk::view_of("ada")), 0);
  EXPECT_EQ(host.table.is_username(host.handle, sdk::view_of("-")), 0);
}

}  // namespace
}  // namespace kbase::tests
