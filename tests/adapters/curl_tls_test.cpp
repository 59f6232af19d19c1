// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "tests/adapters/curl_fixture.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/tls_identity.hpp"

namespace kbase::tests {
namespace {

/// Options of a client that trusts only `identity`.
curl::ClientOptions options_trusting(const TlsIdentity& identity, const TemporaryFolder& folder,
                                     const std::string& url) {
  curl::ClientOptions options = CurlFixture::options(url);
  options.ca_file = identity.certificate_in(folder.path());
  return options;
}

void answer(const ReceivedRequest&, Peer& peer) { peer.answer("200 OK", "safe"); }

TEST(CurlTls, AcceptsAValidCertificate) {
  CurlFixture fixture;
  const TemporaryFolder folder;
  const TlsIdentity identity("localhost");
  ScriptedHttpServer server(answer, identity);
  const auto client = fixture.client(options_trusting(identity, folder, server.url()));
  EXPECT_EQ(fixture.get(*client, server.url()).body, "safe");
  EXPECT_EQ(fixture.get(*client, server.url()).body, "safe");
  EXPECT_EQ(server.connections(), 1U);
}

TEST(CurlTls, RejectsASelfSignedCertificate) {
  CurlFixture fixture;
  const TlsIdentity identity("localhost");
  ScriptedHttpServer server(answer, identity);
  const Fetched fetched = fixture.get(*fixture.client(server.url()), server.url());
  EXPECT_TRUE(failed_with(fetched, ErrorCode::BadUpstream));
  EXPECT_TRUE(server.received().empty());
}

TEST(CurlTls, RejectsACertificateForAnotherName) {
  CurlFixture fixture;
  const TemporaryFolder folder;
  const TlsIdentity identity("other.example");
  ScriptedHttpServer server(answer, identity);
  const Fetched fetched = fixture.get(*fixture.client(options_trusting(identity, folder, server.url())), server.url());
  EXPECT_TRUE(failed_with(fetched, ErrorCode::BadUpstream));
  EXPECT_TRUE(server.received().empty());
}

TEST(CurlTls, AlsoChecksTheCertificateOfAProxy) {
  CurlFixture fixture;
  const TemporaryFolder folder;
  const TlsIdentity identity("localhost");
  ScriptedHttpServer proxy([](const ReceivedRequest& request, Peer& peer) { peer.answer("200 OK", request.target); },
                           identity);
  const std::string url = "http://service.example/a";
  curl::ClientOptions options = options_trusting(identity, folder, url);
  options.proxy = proxy.url("");
  EXPECT_EQ(fixture.get(*fixture.client(options), url).body, url);
  options.ca_file.clear();
  EXPECT_TRUE(failed_with(fixture.get(*fixture.client(options), url), ErrorCode::BadUpstream));
  EXPECT_EQ(proxy.received().size(), 1U);
}

TEST(CurlTls, ReportsAMissingCaFile) {
  CurlFixture fixture;
  const TlsIdentity identity("localhost");
  ScriptedHttpServer server(answer, identity);
  curl::ClientOptions options = CurlFixture::options(server.url());
  options.ca_file = "/nowhere/authority.pem";
  const Fetched fetched = fixture.get(*fixture.client(options), server.url());
  EXPECT_TRUE(failed_with(fetched, ErrorCode::Internal));
  EXPECT_NE(fetched.error->detail.find("/nowhere/authority.pem"), std::string::npos);
}

TEST(CurlTls, ContinuesAfterEachPause) {
  CurlFixture fixture;
  const TemporaryFolder folder;
  const TlsIdentity identity("localhost");
  std::string body;
  for (int i = 0; body.size() < (4U << 20U); ++i) body.append(std::to_string(i)).append(50, '.');
  ScriptedHttpServer server([&](const ReceivedRequest&, Peer& peer) { peer.answer("200 OK", body); }, identity);
  const auto client = fixture.client(options_trusting(identity, folder, server.url()));
  for (const std::size_t buffer_bytes : {1000U, 16'384U, 100'000U}) {
    const auto exchange = fixture.open(*client, server.url());
    EXPECT_TRUE(succeeded(exchange->head()));
    const Fetched fetched = read_all(*exchange, buffer_bytes);
    EXPECT_FALSE(fetched.error);
    EXPECT_TRUE(fetched.body == body);
  }
}

}  // namespace
}  // namespace kbase::tests
