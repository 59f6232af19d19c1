// SPDX-License-Identifier: Apache-2.0
// A store on another machine that hangs, as clients of the server meet it: docs/operations/postgres.md and
// docs/guide/health.md.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <thread>

#include "domain/model/api_key.hpp"
#include "tests/e2e/expectations.hpp"
#include "tests/e2e/knowledge_base.hpp"
#include "tests/support/postgres_server.hpp"

namespace kbase::tests {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

/// While there is one, a PostgreSQL does nothing and refuses nothing.
class Frost {
 public:
  explicit Frost(const PostgresServer& server) : processes_(server.processes()) { signal_all(SIGSTOP); }
  ~Frost() { signal_all(SIGCONT); }
  Frost(const Frost&) = delete;
  Frost& operator=(const Frost&) = delete;

 private:
  void signal_all(int signal) const {
    for (const pid_t process : processes_) ::kill(process, signal);
  }

  const std::vector<pid_t> processes_;
};

TEST(FrozenStoreTest, KeepsNobodyWaitingWhoNeedsNothingOfIt) {
  if (!has_postgres()) GTEST_SKIP() << kNoPostgres;
  const PostgresServer postgres;
  const ServedBase base(Storage::Memory, {}, Quota::Lifted,
                        {"--set", "storage.plugin=postgres", "--set", "storage.config.url=" + postgres.url(), "--set",
                         "server.threads=1"});
  Client web = base.client();
  const Frost frost(postgres);
  std::atomic<bool> is_answered{false};
  std::jthread stranger([&] {
    const auto began = steady_clock::now();
    expect_common_fields(base.client(model::key_text({})).get("/health"));
    EXPECT_LT(steady_clock::now() - began, kWithinASecond);
    is_answered = true;
  });
  do {
    const auto began = steady_clock::now();
    EXPECT_EQ(web.get("/search?q=knowledge").status, 200);
    EXPECT_LT(steady_clock::now() - began, milliseconds(400)) << "less than the look-up of an unknown key may take";
  } while (!is_answered);
}

}  // namespace
}  // namespace kbase::tests
