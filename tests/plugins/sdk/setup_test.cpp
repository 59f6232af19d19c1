// SPDX-License-Identifier: Apache-2.0
#include <functional>
#include <string>
#include <utility>

#include "tests/plugins/sdk/fake_host.hpp"
#include "tests/support/outcome.hpp"

namespace kbase::tests {
namespace {

using sdk::Settings;

/// Cache that tests use only for its creation and destruction.
class UnusedCache : public ports::Cache {
 public:
  explicit UnusedCache(ports::EventLog& log) : log_(log) {}
  ~UnusedCache() override { log_.log(ports::LogLevel::Info, "cache.destroyed", "It was destroyed."); }
  Result<bool> get(ports::Call&, std::string_view, Visitor<std::string_view>) override { return false; }
  Status put(ports::Call&, std::string_view, std::string_view, std::chrono::milliseconds) override { return {}; }
  Status erase(ports::Call&, std::string_view) override { return {}; }
  Status health(ports::Call&) override { return {}; }

 private:
  ports::EventLog& log_;
};

class SetupTest : public testing::Test {
 protected:
  using Open = std::function<sdk::Opened<ports::Cache>(sdk::Setup&)>;

  /// Returns the status of create for an implementation that `open` opens.
  kb_status create(Open open, std::string_view config = {}) {
    open_ = std::move(open);
    return kTable.create(&host.table, &host.call, sdk::view_of(config), &cache);
  }

  static sdk::Opened<ports::Cache> make(sdk::Setup& setup) {
    return std::shared_ptr<ports::Cache>(std::make_shared<UnusedCache>(setup.log()));
  }

  FakeHost host;
  kb_cache* cache = nullptr;

  static inline Open open_;
  static sdk::Opened<ports::Cache> open(sdk::Setup& setup) { return open_(setup); }
  static inline const kb_cache_v1 kTable = sdk::table<ports::Cache, open>({});
};

TEST_F(SetupTest, ProvidesTheClocksOfTheHost) {
  EXPECT_EQ(create([&](sdk::Setup& setup) {
              EXPECT_EQ(setup.clock().now(), model::Instant(std::chrono::milliseconds(host.wall_ms)));
              EXPECT_EQ(setup.clock().steady(), sdk::time_of(host.monotonic_ns));
              return make(setup);
            }),
            KB_OK);
  kTable.destroy(cache);
}

TEST_F(SetupTest, PassesTheFieldsOfAnEventAfterItsMessage) {
  const auto log_event = [](sdk::Setup& setup) {
    const ports::LogField fields[] = {{"path", std::string_view("/srv/a")}, {"items", std::uint64_t{3}}};
    setup.log().log(ports::LogLevel::Warning, "store.created", "there was none", fields);
    return make(setup);
  };
  EXPECT_EQ(create(log_event), KB_OK);
  EXPECT_EQ(host.log, std::vector<std::string>{"2 store.created: there was none\x1Fpath=/srv/a\x1Fitems=3"});
  kTable.destroy(cache);
}

TEST_F(SetupTest, ProvidesItsServicesUntilTheInstanceIsDestroyed) {
  EXPECT_EQ(create(make), KB_OK);
  kTable.destroy(cache);
  EXPECT_EQ(host.log, std::vector<std::string>{"1 cache.destroyed: It was destroyed."});
}

TEST_F(SetupTest, WorksWithAHostWithoutServices) {
  host.table.struct_size = offsetof(kb_host, log);
  EXPECT_EQ(create([](sdk::Setup& setup) {
              setup.log().log(ports::LogLevel::Info, "a", "b");
              EXPECT_GT(setup.clock().now(), model::Instant());
              EXPECT_GT(setup.clock().steady().time_since_epoch().count(), 0);
              return make(setup);
            }),
            KB_OK);
  kTable.destroy(cache);
  EXPECT_TRUE(host.log.empty());
}

TEST_F(SetupTest, ReturnsDifferentRandomBytesEachTime) {
  std::array<std::uint8_t, 16> first{}, second{};
  EXPECT_EQ(create([&](sdk::Setup& setup) {
              setup.random().fill(first);
              setup.random().fill(second);
              return make(setup);
            }),
            KB_OK);
  EXPECT_NE(first, second);
  kTable.destroy(cache);
}

TEST_F(SetupTest, FailsWithTheErrorOfOpen) {
  EXPECT_EQ(create([](sdk::Setup&) { return error_of(ErrorCode::Unavailable); }), KB_UNAVAILABLE);
  EXPECT_EQ(host.explained.value().detail, "the cause");
}

TEST_F(SetupTest, FailsWithTheExceptionOfOpen) {
  EXPECT_EQ(create([](sdk::Setup&) -> sdk::Opened<ports::Cache> { throw std::runtime_error("no"); }), KB_INTERNAL);
}

TEST_F(SetupTest, RejectsSettingsThatAreNotAnObject) {
  for (const char* text : {"[]", "{", "7", "null", "{} {}"}) EXPECT_EQ(create(make, text), KB_INVALID_ARGUMENT) << text;
  EXPECT_EQ(host.explained.value().parameter, "config");
}

TEST_F(SetupTest, NamesASettingOfTheWrongType) {
  const auto read = [](sdk::Setup& setup) {
    (void)setup.settings().number("readers", 1);
    return make(setup);
  };
  EXPECT_EQ(create(read, R"({"readers": "many"})"), KB_INVALID_ARGUMENT);
  EXPECT_EQ(host.explained.value().parameter, "readers");
  EXPECT_EQ(host.explained.value().message, "must be a whole number, 0 or more");
}

// ---- settings

Settings settings(std::string_view json) { return Settings::parse(json).value(); }

TEST(PluginSettings, AreReadByType) {
  const Settings given = settings(R"({"name": "é", "path": "/srv/a", "on": true, "count": 12, "size": "64MiB"})");
  EXPECT_EQ(given.text("name", ""), "é");
  EXPECT_EQ(given.path("path", ""), "/srv/a");
  EXPECT_TRUE(given.flag("on", false));
  EXPECT_EQ(given.number("count", 0), 12u);
  EXPECT_EQ(given.bytes("size", 0), std::uint64_t{64} << 20);
}

TEST(PluginSettings, HaveDefaultsOfThePlugin) {
  const Settings none = settings("");
  EXPECT_EQ(none.text("name", "x"), "x");
  EXPECT_EQ(none.path("path", "data/x"), "data/x");
  EXPECT_TRUE(none.flag("on", true));
  EXPECT_EQ(none.number("count", 5), 5u);
  EXPECT_EQ(none.bytes("size", 6), 6u);
}

TEST(PluginSettings, AcceptSizesInAllUnits) {
  for (const auto& [text, bytes] : {std::pair<const char*, std::uint64_t>{R"("512")", 512},
                                    {"512", 512},
                                    {R"("1KiB")", 1024},
                                    {R"("2GiB")", std::uint64_t{2} << 30}})
    EXPECT_EQ(settings("{\"size\": " + std::string(text) + "}").bytes("size", 0), bytes) << text;
}

TEST(PluginSettings, RejectInvalidSizes) {
  for (const char* text : {R"("64 MiB")", R"("MiB")", R"("-1")", "-1", "1.5", R"("99999999999GiB")", "true"})
    EXPECT_THROW((void)settings("{\"size\": " + std::string(text) + "}").bytes("size", 0), sdk::WrongSetting) << text;
}

TEST(PluginSettings, RejectOtherTypes) {
  const Settings given = settings(R"({"a": 1, "b": "1", "c": -1})");
  EXPECT_THROW((void)given.text("a", ""), sdk::WrongSetting);
  EXPECT_THROW((void)given.path("a", ""), sdk::WrongSetting);
  EXPECT_THROW((void)given.flag("a", false), sdk::WrongSetting);
  EXPECT_THROW((void)given.number("b", 0), sdk::WrongSetting);
  EXPECT_THROW((void)given.number("c", 0), sdk::WrongSetting);
}

}  // namespace
}  // namespace kbase::tests
