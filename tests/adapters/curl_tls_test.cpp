// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "tests/adapters/curl_world.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/tls_identity.hpp"

namespace kbase::tests {
namespace {

/// Options of a client that trusts only `identity`.
curl::ClientOptions trusting(const TlsIdentity& identity, const TemporaryFolder& folder, const std::string& url) {
  curl::ClientOptions options = CurlWorld::options(url);
  options.ca_file = identity.certificate_in(folder.path());
  return options;
}

void answer(const HeardRequest&, Peer& peer) {
  peer.answer("200 OK", "safe");
}

TEST(CurlTls, ReachesAServerWhoseCertificateHolds) {
  CurlWorld world;
  const TemporaryFolder folder;
  const TlsIdentity identity("localhost");
  ScriptedHttpServer server(answer, identity);
  const auto client = world.client(trusting(identity, folder, server.url()));
  EXPECT_EQ(world.get(*client, server.url()).body, "safe");
  EXPECT_EQ(world.get(*client, server.url()).body, "safe");
  EXPECT_EQ(server.connections(), 1U);
}

TEST(CurlTls, RefusesACertificateThatNobodySigned) {
  CurlWorld world;
  const TlsIdentity identity("localhost");
  ScriptedHttpServer server(answer, identity);
  const Fetched fetched = world.get(*world.client(server.url()), server.url());
  EXPECT_TRUE(failed_with(fetched, ErrorCode::BadUpstream));
  EXPECT_TRUE(server.heard().empty());
}

TEST(CurlTls, RefusesACertificateOfAnotherName) {
  CurlWorld world;
  const TemporaryFolder folder;
  const TlsIdentity identity("other.example");
  ScriptedHttpServer server(answer, identity);
  const Fetched fetched = world.get(*world.client(trusting(identity, folder, server.url())), server.url());
  EXPECT_TRUE(failed_with(fetched, ErrorCode::BadUpstream));
  EXPECT_TRUE(server.heard().empty());
}

TEST(CurlTls, ChecksTheCertificateOfAProxyToo) {
  CurlWorld world;
  const TemporaryFolder folder;
  const TlsIdentity identity("localhost");
  ScriptedHttpServer proxy([](const HeardRequest& request, Peer& peer) { peer.answer("200 OK", request.target); },
                           identity);
  const std::string url = "http://service.example/a";
  curl::ClientOptions options = trusting(identity, folder, url);
  options.proxy = proxy.url("");
  EXPECT_EQ(world.get(*world.client(options), url).body, url);
  options.ca_file.clear();
  EXPECT_TRUE(failed_with(world.get(*world.client(options), url), ErrorCode::BadUpstream));
  EXPECT_EQ(proxy.heard().size(), 1U);
}

TEST(CurlTls, SaysThatTheFileOfAuthoritiesIsMissing) {
  CurlWorld world;
  const TlsIdentity identity("localhost");
  ScriptedHttpServer server(answer, identity);
  curl::ClientOptions options = CurlWorld::options(server.url());
  options.ca_file = "/nowhere/authority.pem";
  const Fetched fetched = world.get(*world.client(options), server.url());
  EXPECT_TRUE(failed_with(fetched, ErrorCode::Internal));
  EXPECT_NE(fetched.error->detail.find("/nowhere/authority.pem"), std::string::npos);
}

TEST(CurlTls, GoesOnAfterEachPause) {
  CurlWorld world;
  const TemporaryFolder folder;
  const TlsIdentity identity("localhost");
  std::string body;
  for (int i = 0; body.size() < (4U << 20U); ++i) body.append(std::to_string(i)).append(50, '.');
  ScriptedHttpServer server([&](const HeardRequest&, Peer& peer) { peer.answer("200 OK", body); }, identity);
  const auto client = world.client(trusting(identity, folder, server.url()));
  for (const std::size_t buffer_bytes : {1000U, 16'384U, 100'000U}) {
    const auto exchange = world.open(*client, server.url());
    EXPECT_TRUE(succeeded(exchange->head()));
    const Fetched fetched = read_all(*exchange, buffer_bytes);
    EXPECT_FALSE(fetched.error);
    EXPECT_TRUE(fetched.body == body);
  }
}

}  // namespace
}  // namespace kbase::tests
