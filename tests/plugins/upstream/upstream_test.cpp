// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>
#include <iterator>
#include <string>
#include <thread>

#include "adapters/prometheus/prometheus_metrics.hpp"
#include "app/composition/backends.hpp"
#include "tests/support/outcome.hpp"
#include "tests/support/scripted_http_server.hpp"

namespace kbase::tests {
namespace {

/// Accepts only the section `cache`.
Result<config::PluginConfig> plugin_config(const config::ChosenPlugin& chosen) {
  if (chosen.section == "cache") return composition::load_plugin_config(chosen);
  return config::PluginConfig{R"({"type": "object"})"};
}

std::ptrdiff_t threads() { return std::distance(std::filesystem::directory_iterator("/proc/self/task"), {}); }

void echo(const ReceivedRequest& request, Peer& peer) { peer.answer("200 OK", request.target); }

/// Creates a cache from a plugin as the program does, from its configuration.
class Upstream : public testing::Test {
 protected:
  Result<std::unique_ptr<ports::Cache>> open(const std::string& plugin, std::vector<std::string> sets) {
    sets.push_back("cache.plugin=" + plugin);
    auto loaded = config::load({std::nullopt, std::move(sets), {}, plugin_config});
    if (!loaded) return loaded.error();
    settings_ = *std::move(loaded);
    backends_ = std::make_unique<composition::Backends>(settings_, platform_, &metrics_);
    return backends_->open_cache();
  }

  Result<bool> get(ports::Cache& cache, const std::string& key) {
    return cache.get(call_, key, [this](std::string_view value) {
      value_ = value;
      return Visit::Continue;
    });
  }

  bool shows(const std::string& series) const { return metrics_.expose().text.find(series) != std::string::npos; }

  composition::Platform platform_{system::StderrLog::Format::Text};
  prometheus::PrometheusMetrics metrics_;
  config::Settings settings_;
  std::unique_ptr<composition::Backends> backends_;
  ports::Call call_;
  std::string value_;
};

TEST_F(Upstream, IsQueriedThroughTheHost) {
  ScriptedHttpServer server(echo);
  const auto cache = open(KBASE_MIRROR, {"cache.config.base_url=" + server.url("")});
  ASSERT_TRUE(succeeded(cache));
  EXPECT_TRUE(get(**cache, "/page").value());
  EXPECT_EQ(value_, "/page");
  EXPECT_EQ(server.received().at(0).field("user-agent"), "kbase/1.1.0");
  EXPECT_TRUE(shows("kbase_upstream_requests_total{service=\"cache\",outcome=\"answered\"} 1"))
      << metrics_.expose().text;
}

TEST_F(Upstream, IsNotProvidedToAPluginThatNamesNone) {
  for (const char* url : {"", "redis://127.0.0.1:6379", "127.0.0.1:80", "file:///etc/passwd"}) {
    const auto cache = open(KBASE_MIRROR, {std::string("cache.config.base_url='") + url + "'"});
    EXPECT_TRUE(failed(cache, ErrorCode::InvalidArgument, "base_url")) << url;
  }
}

TEST_F(Upstream, HasAThreadOnlyIfAPluginNamesAnUpstream) {
  std::thread([] {}).join();  // a sanitizer starts its own thread when the first one starts
  const std::ptrdiff_t before = threads();
  {
    const auto without = open(KBASE_FORGETFUL, {});
    ASSERT_TRUE(succeeded(without));
    EXPECT_FALSE(get(**without, "http://127.0.0.1/").value());
    EXPECT_EQ(threads(), before);
  }
  const auto with = open(KBASE_FORGETFUL, {"cache.config.url=http://127.0.0.1/"});
  ASSERT_TRUE(succeeded(with));
  EXPECT_EQ(threads(), before + 1);
}

TEST_F(Upstream, OfAnotherOriginIsRejected) {
  ScriptedHttpServer server(echo);
  ScriptedHttpServer other(echo);
  const auto cache = open(KBASE_MIRROR, {"cache.config.base_url=" + server.url("")});
  ASSERT_TRUE(succeeded(cache));
  EXPECT_TRUE(failed(get(**cache, other.url("/page")), ErrorCode::InvalidArgument, "url"));
  EXPECT_EQ(other.connections(), 0U);
}

TEST_F(Upstream, ThatIsInvalidPreventsTheStart) {
  const auto cache = open(KBASE_MIRROR, {"cache.config.base_url=https://me:secret@service.example/"});
  ASSERT_TRUE(failed(cache, ErrorCode::InvalidArgument, "url"));
  EXPECT_EQ(cache.error().message, "cache.config: The URL must not hold a user name or password.");
}

TEST_F(Upstream, ClosesTheSocketOfAnExchangeThatThePluginLeftOpen) {
  ScriptedHttpServer server([](const ReceivedRequest&, Peer& peer) {
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\nand so on");
    peer.wait_until_left();
  });
  const auto cache = open(KBASE_FORGETFUL, {"cache.config.url=" + server.url()});
  ASSERT_TRUE(succeeded(cache));
  for (std::size_t i = 1; i <= 3; ++i) {
    EXPECT_FALSE(get(**cache, server.url()).value());
    server.wait_until_idle();
    EXPECT_EQ(server.connections(), i) << "each exchange has its own connection, because the previous one is closed";
  }
}

TEST_F(Upstream, IsReachedThroughTheConfiguredProxy) {
  ScriptedHttpServer proxy(echo);
  const std::string place = "127.0.0.1:" + std::to_string(proxy.port());
  const auto cache =
      open(KBASE_MIRROR, {"cache.config.base_url=http://service.example", "upstream.proxy=http://me:secret@" + place});
  ASSERT_TRUE(succeeded(cache));
  EXPECT_TRUE(get(**cache, "/page").value());
  EXPECT_EQ(value_, "http://service.example/page");
  EXPECT_NE(proxy.received().at(0).field("proxy-authorization"), "");
}

TEST_F(Upstream, ObeysTheConfiguredLimits) {
  ScriptedHttpServer server([](const ReceivedRequest&, Peer& peer) { peer.answer("200 OK", std::string(101, 'x')); });
  const auto cache = open(KBASE_MIRROR, {"cache.config.base_url=" + server.url(""), "upstream.max_body_bytes=100"});
  ASSERT_TRUE(succeeded(cache));
  EXPECT_TRUE(failed(get(**cache, "/page"), ErrorCode::BadUpstream));
}

TEST_F(Upstream, IsNotQueriedIfTheConfiguredCaFileIsMissing) {
  const auto cache = open(
      KBASE_MIRROR, {"cache.config.base_url=https://service.example", "upstream.ca_file=/nowhere/authorities.pem"});
  ASSERT_TRUE(failed(cache, ErrorCode::InvalidArgument, "upstream.ca_file"));
  EXPECT_EQ(cache.error().message,
            "upstream.ca_file: the file '/nowhere/authorities.pem' cannot be read: No such file or directory");
}

}  // namespace
}  // namespace kbase::tests
