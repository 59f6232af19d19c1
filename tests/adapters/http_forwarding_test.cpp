// SPDX-License-Identifier: Apache-2.0
// The warning about a reverse proxy that is missing from the configuration.
#include "adapters/http/client_address.hpp"
#include "tests/adapters/http_fixture.hpp"

namespace kbase::tests {
namespace {

class ForwardingWarning : public testing::Test {
 protected:
  void request_from(std::string_view peer, std::string_view fields = "X-Forwarded-For: 198.51.100.1\r\n") {
    http::RequestParser parser{http::MessageLimits{}};
    parser.feed("GET /x HTTP/1.1\r\nHost: x\r\n" + std::string(fields) + "\r\n");
    ASSERT_EQ(parser.state(), http::RequestParser::State::Complete);
    warning_.check(parser.request(), *http::NetworkAddress::parse(peer));
  }
  std::size_t said() const { return log_.lines().size(); }

  conformance::ManualClock clock_;
  RecordingLog log_;
  http::ForwardingWarning warning_{log_, clock_, {"10.0.0.0/8"}};
};

TEST_F(ForwardingWarning, NamesTheNetworkToAddToTheConfiguredOnes) {
  request_from("172.16.0.9");
  EXPECT_EQ(log_.last(),
            "http.proxy_not_trusted configuration=server: { trusted_proxies: [\"10.0.0.0/8\", \"172.16.0.9\"] }");
}

TEST_F(ForwardingWarning, IsLoggedOncePerMinute) {
  for (int i = 0; i < 5; ++i) request_from("127.0.0.1");
  clock_.advance(std::chrono::milliseconds(59'999));
  request_from("192.168.1.1");
  EXPECT_EQ(said(), 1u);
  clock_.advance(std::chrono::milliseconds(1));
  request_from("192.168.1.1", "Forwarded: for=198.51.100.1\r\n");
  EXPECT_EQ(said(), 2u);
}

TEST_F(ForwardingWarning, IsNotLoggedForInternetClientsOrWithoutAForwardedAddress) {
  for (const char* peer : {"203.0.113.7", "172.32.0.1", "2001:db8::1", "100.128.0.1"}) request_from(peer);
  request_from("127.0.0.1", "");
  request_from("127.0.0.1", "X-Real-IP: 198.51.100.1\r\n");
  EXPECT_EQ(said(), 0u);
}

TEST(NetworkAddress, IsPrivateIfNotRoutedOnTheInternet) {
  const auto is_private = [](const char* address) { return http::NetworkAddress::parse(address)->is_private(); };
  for (const char* address : {"127.0.0.1", "10.255.0.1", "172.16.0.1", "172.31.255.255", "192.168.0.1", "169.254.1.1",
                              "100.64.0.1", "100.127.255.255", "::1", "fd00::1", "fe80::1", "::ffff:10.0.0.1"})
    EXPECT_TRUE(is_private(address)) << address;
  for (const char* address : {"8.8.8.8", "172.15.0.1", "172.32.0.1", "192.169.0.1", "100.63.0.1", "100.128.0.1",
                              "11.0.0.1", "128.0.0.1", "::2", "2001:db8::1", "fec0::1", "::ffff:8.8.8.8"})
    EXPECT_FALSE(is_private(address)) << address;
}

}  // namespace
}  // namespace kbase::tests
