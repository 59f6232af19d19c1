// SPDX-License-Identifier: Apache-2.0
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "adapters/postgres/connector.hpp"
#include "adapters/postgres/session.hpp"
#include "adapters/postgres/wire.hpp"
#include "adapters/system/system_crypto.hpp"
#include "tests/support/outcome.hpp"

/// Units of the PostgreSQL adapter that need no server.
namespace kbase::tests {
namespace {
using postgres::Location;
namespace wire = postgres::wire;

std::string keyword(const Location::Host& host, std::string_view name) {
  for (const auto& [known, value] : host.keywords)
    if (known == name) return value;
  return "none";
}

/// A port of the loopback address that neither accepts nor refuses connections, like a host that drops packets: it
/// listens, and its backlog is full.
class SilentPort {
 public:
  SilentPort() {
    address_.sin_family = AF_INET;
    address_.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address_;
    const int listener = open();
    if (::bind(listener, as_address(), length) != 0 || ::listen(listener, 0) != 0 ||
        ::getsockname(listener, as_address(), &length) != 0)
      throw std::runtime_error("nothing listens");
    while (connects()) {
    }
  }
  ~SilentPort() {
    for (const int socket : sockets_) ::close(socket);
  }
  SilentPort(const SilentPort&) = delete;
  SilentPort& operator=(const SilentPort&) = delete;

  std::string url() const {
    return "postgres://kbase@127.0.0.1:" + std::to_string(ntohs(address_.sin_port)) + "/kbase";
  }

 private:
  int open() { return sockets_.emplace_back(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0)); }
  sockaddr* as_address() { return reinterpret_cast<sockaddr*>(&address_); }
  bool connects() {
    constexpr int kSoon = 50;  // in ms; a local connection takes far less than a millisecond
    const int socket = open();
    if (::connect(socket, as_address(), sizeof address_) == 0) return true;
    pollfd connecting{socket, POLLOUT, 0};
    return ::poll(&connecting, 1, kSoon) > 0;
  }

  sockaddr_in address_{};
  std::vector<int> sockets_;
};

TEST(PostgresSessions, AbandonAHostThatDropsPacketsAtTheTimeoutOrTheEndOfTheCall) {
  using std::chrono::milliseconds;
  using std::chrono::seconds;
  const SilentPort port;
  const system::SystemClock clock;
  const auto location = Location::parse(port.url(), {});
  ASSERT_TRUE(succeeded(location));
  const Location::Host& host = location->hosts[0];
  const auto began = std::chrono::steady_clock::now();
  const ports::Call patient;
  EXPECT_TRUE(failed(postgres::Session::open(host.keywords, host.name, milliseconds(100), patient, clock),
                     ErrorCode::Unavailable));
  ports::Call short_call;
  short_call.deadline = clock.steady() + milliseconds(100);
  EXPECT_TRUE(
      failed(postgres::Session::open(host.keywords, host.name, seconds(60), short_call, clock), ErrorCode::Deadline));
  EXPECT_LT(std::chrono::steady_clock::now() - began, seconds(10));
}

TEST(PostgresLocation, AcceptsUrlsAndKeywords) {
  for (const char* const url : {"postgres://ada:pw@db.example:6000/base", "postgresql://ada:pw@db.example:6000/base",
                                "host=db.example port=6000 dbname=base user=ada password=pw"}) {
    const auto location = Location::parse(url, {});
    ASSERT_TRUE(succeeded(location)) << url;
    ASSERT_EQ(location->hosts.size(), 1u);
    const Location::Host& host = location->hosts[0];
    EXPECT_EQ(host.name, "db.example:6000");
    EXPECT_EQ(keyword(host, "host") + keyword(host, "port") + keyword(host, "dbname"), "db.example6000base");
    EXPECT_EQ(keyword(host, "user") + keyword(host, "password"), "adapw");
    EXPECT_EQ(keyword(host, "target_session_attrs"), "read-write");
    EXPECT_EQ(keyword(host, "tcp_user_timeout"), "25000");
  }
}

TEST(PostgresLocation, SplitsSeveralHosts) {
  const auto location = Location::parse("postgres://ada@one:6000,two:6001/base?connect_timeout=5", {});
  ASSERT_TRUE(succeeded(location));
  ASSERT_EQ(location->hosts.size(), 2u);
  EXPECT_EQ(location->hosts[0].name, "one:6000");
  EXPECT_EQ(location->hosts[1].name, "two:6001");
  EXPECT_EQ(keyword(location->hosts[1], "host"), "two");
  EXPECT_EQ(keyword(location->hosts[1], "port"), "6001");
  EXPECT_EQ(keyword(location->hosts[1], "dbname"), "base");
  EXPECT_EQ(keyword(location->hosts[1], "connect_timeout"), "none") << "kbase applies this parameter itself";
  EXPECT_EQ(location->timeout, std::chrono::seconds(5));

  const auto one_port = Location::parse("host=one,two port=7000", {});
  ASSERT_TRUE(succeeded(one_port));
  EXPECT_EQ(one_port->hosts[1].name, "two:7000");
  const auto addresses = Location::parse("host=one,two hostaddr=10.0.0.1,10.0.0.2", {});
  ASSERT_TRUE(succeeded(addresses));
  EXPECT_EQ(keyword(addresses->hosts[1], "hostaddr"), "10.0.0.2");
  EXPECT_TRUE(failed(Location::parse("host=one,two,three port=7000,7001", {}), ErrorCode::InvalidArgument, "url"));
}

TEST(PostgresLocation, PrefersParametersOfTheStringButReplacesItsPassword) {
  const auto location =
      Location::parse("postgres://ada:old@one/base?target_session_attrs=any&keepalives_idle=99", "new one");
  ASSERT_TRUE(succeeded(location));
  EXPECT_EQ(keyword(location->hosts[0], "target_session_attrs"), "any");
  EXPECT_EQ(keyword(location->hosts[0], "keepalives_idle"), "99");
  EXPECT_EQ(keyword(location->hosts[0], "password"), "new one");
}

TEST(PostgresLocation, LeavesUnsetParametersToLibpq) {
  const auto location = Location::parse("", {});
  ASSERT_TRUE(succeeded(location));
  ASSERT_EQ(location->hosts.size(), 1u);
  EXPECT_EQ(keyword(location->hosts[0], "host"), "none");
}

TEST(PostgresLocation, DoesNotQuoteARejectedString) {
  for (const char* const url : {"s3cret", "postgres://ada:s3cret@one:port/base?nonsense=1", "postgres://ada:s3cret@%zz",
                                "password=s3cret nonsense=1", "password='s3cret", "connect_timeout=s3cret"}) {
    const auto location = Location::parse(url, {});
    ASSERT_TRUE(failed(location, ErrorCode::InvalidArgument, "url")) << url;
    EXPECT_EQ(location.error().message.find("s3cret"), std::string::npos) << url;
    EXPECT_EQ(location.error().detail.find("s3cret"), std::string::npos) << url;
  }
  for (const char* const timeout : {"0", "-1", "61", "2s"})
    EXPECT_TRUE(
        failed(Location::parse(std::string("connect_timeout=") + timeout, {}), ErrorCode::InvalidArgument, "url"));
}

TEST(PostgresErrors, DependOnTheClassOfTheSqlstate) {
  const auto code_of = [](std::string_view state) {
    return postgres::translate_error({state, "text", "one:5432"}).code;
  };
  EXPECT_EQ(code_of(""), ErrorCode::Unavailable);
  EXPECT_EQ(code_of("08006"), ErrorCode::Unavailable);
  EXPECT_EQ(code_of("53100"), ErrorCode::Unavailable);
  EXPECT_EQ(code_of("53200"), ErrorCode::NoMemory);
  EXPECT_EQ(code_of("57P01"), ErrorCode::Unavailable);
  EXPECT_EQ(code_of("57014"), ErrorCode::Deadline);
  EXPECT_EQ(code_of("25006"), ErrorCode::Unavailable);
  EXPECT_EQ(code_of("40P01"), ErrorCode::Unavailable);
  EXPECT_EQ(code_of("55P03"), ErrorCode::Conflict);
  EXPECT_EQ(code_of("XX001"), ErrorCode::Corrupt);
  EXPECT_EQ(code_of("XX000"), ErrorCode::Internal);
  EXPECT_EQ(code_of("42601"), ErrorCode::Internal);
}

TEST(PostgresErrors, NameTheServerOnlyInTheLog) {
  const Error error = postgres::translate_error({"28P01", "password authentication failed\n", "one:5432"});
  EXPECT_EQ(error.detail, "PostgreSQL at one:5432: password authentication failed (SQLSTATE 28P01)");
  EXPECT_EQ(error.message.find("one"), std::string::npos);
}

TEST(PostgresErrors, UseOneLineForAllAddressesOfAHost) {
  const Error error = postgres::translate_error({{},
                                                 "connection to server at \"one\" (::1) failed: Connection refused\n"
                                                 "\tIs the server running?\n"
                                                 "connection to server at \"one\" (127.0.0.1) failed: No route\n",
                                                 "one:5432"});
  EXPECT_EQ(error.detail,
            "PostgreSQL at one:5432: connection to server at \"one\" (::1) failed: Connection refused; Is the server "
            "running?; connection to server at \"one\" (127.0.0.1) failed: No route");
}

TEST(PostgresWire, EncodesListsEntryByEntry) {
  const std::string nul("\0a\0", 3);
  for (const std::vector<std::string_view>& texts :
       {std::vector<std::string_view>{}, {""}, {"z", "", nul, "z"}, std::vector<std::string_view>(3000, "tag")}) {
    wire::ArrayBuilder list(wire::Type::Bytea);
    for (const std::string_view text : texts) list.add(text);
    std::vector<std::string_view> read;
    ASSERT_TRUE(wire::read_list(list.encode(), read));
    EXPECT_EQ(read, texts);
  }
}

TEST(PostgresWire, RejectsEveryDamagedList) {
  wire::ArrayBuilder list(wire::Type::Bytea);
  for (const std::string_view text : {"one", "two", ""}) list.add(text);
  const std::string whole(list.encode());
  std::vector<std::string_view> read;
  for (std::size_t length = 0; length < whole.size(); ++length)
    EXPECT_FALSE(wire::read_list(std::string_view(whole).substr(0, length), read)) << length;
  EXPECT_FALSE(wire::read_list(whole + '\0', read)) << "extra bytes follow";
  std::string negative = whole;
  negative[20] = '\xFF';
  EXPECT_FALSE(wire::read_list(negative, read)) << "a null, or a length below 0";
}

TEST(PostgresWire, EncodesDaysAndInstants) {
  using std::chrono::year;
  for (const model::Day day : {model::Day(year(0) / 1 / 1), model::Day(year(1999) / 12 / 31),
                               model::Day(year(2000) / 1 / 1), model::Day(year(9999) / 12 / 31)})
    EXPECT_EQ(wire::from_date(wire::to_date(day)), day);
  for (const model::Instant instant :
       {model::Instant(), model::Instant(std::chrono::milliseconds(-1)),
        model::Instant(model::Day(year(9999) / 12 / 31)) + std::chrono::milliseconds(86'399'999)})
    EXPECT_EQ(wire::from_timestamp(wire::to_timestamp(instant)), instant);
}

}  // namespace
}  // namespace kbase::tests
