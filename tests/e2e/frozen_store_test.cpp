// SPDX-License-Identifier: Apache-2.0
// Remote store that hangs, as clients of the server see it. Manual: docs/operations/postgres.md and
// docs/guide/health.md.
#include <gtest/gtest.h>

#include <csignal>
#include <string>
#include <vector>

#include "domain/model/api_key.hpp"
#include "tests/adapters/http_client.hpp"
#include "tests/e2e/knowledge_base.hpp"
#include "tests/support/postgres_server.hpp"

namespace kbase::tests {
namespace {

/// Stops all processes of a PostgreSQL server as long as it exists: connections succeed, but queries hang.
class FrozenPostgres {
 public:
  explicit FrozenPostgres(const PostgresServer& server) : processes_(server.processes()) { signal_all(SIGSTOP); }
  ~FrozenPostgres() { signal_all(SIGCONT); }
  FrozenPostgres(const FrozenPostgres&) = delete;
  FrozenPostgres& operator=(const FrozenPostgres&) = delete;

 private:
  void signal_all(int signal) const {
    for (const pid_t process : processes_) ::kill(process, signal);
  }

  const std::vector<pid_t> processes_;
};

RawClient raw_client(const ServedBase& base) {
  const std::string& url = base.server().base_url();
  return RawClient(static_cast<std::uint16_t>(std::stoi(url.substr(url.rfind(':') + 1))));
}

TEST(FrozenStoreTest, DelaysNoRequestThatDoesNotNeedIt) {
  if (!has_postgres()) GTEST_SKIP() << kNoPostgres;
  const PostgresServer postgres;
  const ServedBase base(Storage::Memory, {}, Quota::Lifted,
                        {"--set", "storage.plugin=postgres", "--set", "storage.config.url=" + postgres.url(), "--set",
                         "server.threads=1"});
  Client web = base.client();
  EXPECT_EQ(web.get("/search?q=knowledge").status, 200);
  const FrozenPostgres frozen(postgres);
  // The lookup of this client's key takes half a second. On a slow machine, a search may not finish within that time.
  bool was_delayed = false;
  for (int i = 0; i < 10 && !was_delayed; ++i) {
    RawClient keyless_client = raw_client(base);
    keyless_client.get("/health", "Authorization: Bearer " + model::key_text({}) + "\r\n");
    EXPECT_EQ(web.get("/search?q=knowledge").status, 200);
    was_delayed = !keyless_client.is_readable(0);
    EXPECT_EQ(keyless_client.answer().status, 200) << "like a client without a key";
  }
  EXPECT_TRUE(was_delayed);
}

}  // namespace
}  // namespace kbase::tests
