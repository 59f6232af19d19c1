// SPDX-License-Identifier: Apache-2.0
#include "tests/edge/raw_exchange.hpp"

#include "tests/edge/answer_check.hpp"

namespace kbase::tests {
namespace {

/// Sent after a request that closes the connection. The server must not answer it.
const std::string kSmuggled = "GET /api/v1/item/smuggled HTTP/1.1\r\nHost: x\r\n\r\n";

bool is_old(const RawCase& raw) { return raw.bytes().find(" HTTP/1.0\r\n") != std::string::npos; }

/// Connection state that the response must announce.
Announced connection_after(const RawCase& raw, const Expected& expected, bool is_last) {
  const bool is_refusal = is_last && expected.statuses.front() >= 400;
  if (is_last && (raw.after == After::Closes || (raw.after != After::Stays && is_refusal))) return Announced::Close;
  return is_old(raw) ? Announced::KeepAlive : Announced::Nothing;
}

void send(RawClient& client, const Exchange& exchange, bool closes, const Cut& cut) {
  std::vector<std::string> writes = exchange.writes;
  if (closes) writes.back() += kSmuggled;
  if (cut) writes = cut(writes);
  for (const std::string& write : writes) client.send(write);
}

void expect_to_go_on(RawClient& client) {
  client.get("/item/b");
  expect_valid(client.answer(), item("b"), Announced::Nothing);
  client.get("/item/c", "Connection: close\r\n");
  expect_valid(client.answer(), item("c"), Announced::Close);
}

}  // namespace

void play(const RawCase& raw, std::uint16_t port, const std::function<void(RawClient&)>& pass_time, const Cut& cut) {
  RawClient client(port);
  for (const Exchange& exchange : raw.exchanges) {
    const bool is_last_exchange = &exchange == &raw.exchanges.back();
    send(client, exchange, is_last_exchange && raw.after == After::Closes, cut);
    if (is_last_exchange && raw.after == After::ClientEnds) client.end_output();
    for (const Expected& expected : exchange.answers) {
      const bool is_last = is_last_exchange && &expected == &exchange.answers.back();
      if (is_last && raw.after == After::TimePasses && expected.statuses.front() == 408) pass_time(client);
      const HttpAnswer answer = client.answer(expected.body == Expected::Body::HeadOnly);
      expect_valid(answer, expected, connection_after(raw, expected, is_last));
      if (testing::Test::HasFailure()) return;
    }
  }
  if (raw.after == After::Stays) expect_to_go_on(client);
  if (raw.after == After::TimePasses && !client.is_readable(0)) pass_time(client);
  EXPECT_TRUE(client.ends()) << "the connection stays open";
}

}  // namespace kbase::tests
