// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <map>
#include <mutex>
#include <string>

#include "adapters/github/github_code_host.hpp"
#include "tests/adapters/code_host/code_host_fixture.hpp"

namespace kbase::tests {
namespace {

using testing::SizeIs;

constexpr char kBusy[] = "503 Service Unavailable";

/// A service with the user mona and `repositories` of hers. It fails the first `failures` requests for each target
/// except her profile.
class FailingService {
 public:
  enum class Fault { Busy, Reset };

  FailingService(Fault fault, int failures, int repositories)
      : fault_(fault), failures_(failures), repositories_(repositories) {}

  std::string url() const { return server_.url(""); }
  std::size_t requests() const { return server_.received().size(); }

 private:
  bool must_fail(const std::string& target) {
    const std::lock_guard lock(mutex_);
    return target != "/users/mona" && seen_[target]++ < failures_;
  }

  void answer(const ReceivedRequest& request, Peer& peer) {
    if (must_fail(request.target)) return fault_ == Fault::Busy ? peer.answer(kBusy) : peer.reset();
    if (request.target == "/users/mona") return peer.answer("200 OK", R"({"login": "mona"})");
    if (request.target.find("/languages") != request.target.npos) return peer.answer("200 OK", R"({"C++": 1})");
    if (request.target.find("/repos?") == request.target.npos) return peer.answer("200 OK", "[]");
    std::string list = "[";
    for (int i = 0; i < repositories_; ++i)
      list += std::string(i == 0 ? "" : ", ") + R"({"name": "r", "private": false, "language": "C++",
        "updated_at": "2026-03-01T00:00:00Z", "full_name": "mona/r)" +
              std::to_string(i) + "\"}";
    peer.answer("200 OK", list + "]");
  }

  const Fault fault_;
  const int failures_;
  const int repositories_;
  std::mutex mutex_;
  std::map<std::string, int> seen_;
  ScriptedHttpServer server_{[this](const ReceivedRequest& request, Peer& peer) { answer(request, peer); }};
};

/// Looks mona up with a client that retries like the server's client, but without a pause.
Result<ports::LookUp> look_up(FailingService& service, std::size_t max_calls, UserRecorder& recorder) {
  CurlFixture fixture;
  curl::ClientOptions client_options = CurlFixture::options(service.url());
  client_options.retry = {};
  client_options.retry.pause = 0ms;
  const auto client = fixture.client(client_options);
  code_host::Options options;
  options.base_url = service.url();
  options.max_calls = max_calls;
  auto host = github::GithubCodeHost::open(client.get(), fixture.clock, options);
  EXPECT_TRUE(succeeded(host));
  return (*host)->look_up(fixture.call, "mona", {}, recorder);
}

TEST(RepeatedCalls, RecoverFromTemporaryFailures) {
  for (const auto fault : {FailingService::Fault::Busy, FailingService::Fault::Reset}) {
    FailingService service(fault, 1, 3);
    UserRecorder recorder;
    ASSERT_TRUE(succeeded(look_up(service, 20, recorder)));
    EXPECT_THAT(recorder.repository_rows, SizeIs(3));
    EXPECT_EQ(service.requests(), 11U) << "one request for the profile, two for everything else";
  }
}

TEST(RepeatedCalls, CountTowardsTheLimitOfALookup) {
  for (const auto fault : {FailingService::Fault::Busy, FailingService::Fault::Reset})
    for (const int failures : {0, 1, 2, 1000})
      for (const std::size_t max_calls : {5U, 6U, 7U, 8U, 12U, 20U, 33U}) {
        FailingService service(fault, failures, 60);
        UserRecorder recorder;
        const auto outcome = look_up(service, max_calls, recorder);
        EXPECT_LE(service.requests(), max_calls) << failures;
        if (failures == 0) {
          ASSERT_TRUE(succeeded(outcome));
          EXPECT_EQ(service.requests(), max_calls) << "no request is reserved for retries that are not needed";
        }
        if (failures == 1000) {
          EXPECT_TRUE(failed_for(outcome, ErrorCode::Unavailable));
        }
      }
}

}  // namespace
}  // namespace kbase::tests
