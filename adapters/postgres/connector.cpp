// SPDX-License-Identifier: Apache-2.0
#include "adapters/postgres/connector.hpp"

#include <libpq-fe.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>

#include "domain/base/result.hpp"

namespace kbase::postgres {
namespace {

constexpr std::string_view kDefaultPort = "5432";
constexpr std::chrono::seconds kConnectTimeout{2};
constexpr int kMaxTimeout = 60;

struct FreeOptions {
  void operator()(PQconninfoOption* options) const noexcept { PQconninfoFree(options); }
};

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> parts;
  for (std::size_t start = 0;;) {
    const std::size_t comma = list.find(',', start);
    parts.push_back(list.substr(start, comma - start));
    if (comma == list.npos) return parts;
    start = comma + 1;
  }
}

std::string extract_keyword(Session::Keywords& keywords, std::string_view name) {
  const auto found =
      std::find_if(keywords.begin(), keywords.end(), [name](const auto& keyword) { return keyword.first == name; });
  if (found == keywords.end()) return {};
  std::string value = std::move(found->second);
  keywords.erase(found);
  return value;
}

void set_default(Session::Keywords& keywords, const char* name, const char* value) {
  const auto is_same = [name](const auto& keyword) { return keyword.first == name; };
  if (std::none_of(keywords.begin(), keywords.end(), is_same)) keywords.emplace_back(name, value);
}

Result<Session::Keywords> parse_keywords(const std::string& url) {
  char* parse_error = nullptr;
  const std::unique_ptr<PQconninfoOption, FreeOptions> options(PQconninfoParse(url.c_str(), &parse_error));
  PQfreemem(parse_error);
  if (!options)
    return invalid_argument(
        "url",
        "is not a libpq connection string; use postgres://USER@HOST:PORT/DATABASE, with several HOST:PORT "
        "separated by commas, or host=HOST dbname=DATABASE user=USER; write special characters in a URL as %XX");
  Session::Keywords keywords;
  for (const PQconninfoOption* option = options.get(); option->keyword != nullptr; ++option)
    if (option->val != nullptr) keywords.emplace_back(option->keyword, option->val);
  return keywords;
}

/// Splits a list that belongs to the hosts: one part per host, one part for all, or empty.
Result<std::vector<std::string>> split_per_host(const std::string& list, std::size_t count, const char* name) {
  std::vector<std::string> parts = split(list);
  if (parts.size() == 1) parts.resize(count, parts.front());
  if (parts.size() == count) return parts;
  return invalid_argument("url", std::string("has ") + std::to_string(parts.size()) + " values of " + name + " for " +
                                     std::to_string(count) + " hosts; give one for each host, or one for all hosts");
}

Result<std::chrono::milliseconds> parse_timeout(const std::string& connect_timeout) {
  if (connect_timeout.empty()) return std::chrono::milliseconds(kConnectTimeout);
  int seconds = 0;
  const char* const end = connect_timeout.data() + connect_timeout.size();
  const auto read = std::from_chars(connect_timeout.data(), end, seconds);
  if (read.ec != std::errc() || read.ptr != end || seconds < 1 || seconds > kMaxTimeout)
    return invalid_argument("url", "has a connect_timeout that is not 1 to 60 (seconds)");
  return std::chrono::milliseconds(std::chrono::seconds(seconds));
}

constexpr std::chrono::milliseconds kMinPause{50};
constexpr std::chrono::milliseconds kMaxPause{1000};
constexpr unsigned kMaxDoublings = 5;

/// Minimum time of an attempt that ended with the deadline to count as a failure of the host.
constexpr std::chrono::milliseconds kMinAttemptTime{200};

std::uint32_t make_seed(ports::Random& random) {
  std::array<std::uint8_t, 4> bytes{};
  random.fill(bytes);
  return static_cast<std::uint32_t>(bytes[0] << 24U | bytes[1] << 16U | bytes[2] << 8U | bytes[3]);
}

}  // namespace

Result<Location> Location::parse(const std::string& url, const std::string& password) {
  auto parsed = KBASE_TRY(parse_keywords(url));
  Session::Keywords& keywords = parsed;
  const auto timeout = KBASE_TRY(parse_timeout(extract_keyword(keywords, "connect_timeout")));
  if (!password.empty()) {
    extract_keyword(keywords, "password");
    keywords.emplace_back("password", password);
  }
  const std::string names = extract_keyword(keywords, "host"), addresses = extract_keyword(keywords, "hostaddr");
  const std::string& list = addresses.empty() ? names : addresses;
  const std::size_t count = split(list).size();
  const auto hosts = split_per_host(names, count, "host");
  const auto host_addresses = split_per_host(addresses, count, "hostaddr");
  const auto ports = split_per_host(extract_keyword(keywords, "port"), count, "port");
  for (const auto* per_host : {&hosts, &host_addresses, &ports})
    if (!*per_host) return per_host->error();
  set_default(keywords, "target_session_attrs", "read-write");
  set_default(keywords, "client_encoding", "UTF8");
  set_default(keywords, "fallback_application_name", "kbase");
  set_default(keywords, "keepalives_idle", "10");
  set_default(keywords, "keepalives_interval", "5");
  set_default(keywords, "keepalives_count", "3");
  set_default(keywords, "tcp_user_timeout", "25000");  // no keepalives while sent data is unacknowledged
  Location location{{}, timeout};
  for (std::size_t i = 0; i < count; ++i) {
    const std::string &host = (*hosts)[i], &address = (*host_addresses)[i], &port = (*ports)[i];
    Session::Keywords inline_bytes = keywords;
    if (!host.empty()) inline_bytes.emplace_back("host", host);
    if (!address.empty()) inline_bytes.emplace_back("hostaddr", address);
    if (!port.empty()) inline_bytes.emplace_back("port", port);
    std::string name = !host.empty() ? host : !address.empty() ? address : "the default host";
    location.hosts.push_back({name + ':' + (port.empty() ? std::string(kDefaultPort) : port), std::move(inline_bytes)});
  }
  return location;
}

Connector::Connector(Location location, const ports::Clock& clock, ports::Random& random)
    : location_(std::move(location)), clock_(clock), jitter_(make_seed(random)) {}

Result<std::unique_ptr<Session>> Connector::connect(const ports::Call& call) {
  KBASE_TRY(check_pause());
  const std::size_t count = location_.hosts.size();
  const std::size_t first = first_host_;
  std::string details;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = (first + i) % count;
    const Location::Host& host = location_.hosts[at];
    const auto began = clock_.steady();
    auto session = Session::open(host.keywords, host.name, location_.timeout, call, clock_);
    if (session) {
      record_success(at);
      return session;
    }
    if (const auto active = check_call(call, clock_); !active) {
      const bool had_full_attempt =
          active.error().code == ErrorCode::Deadline && clock_.steady() - began >= kMinAttemptTime;
      if (had_full_attempt) first_host_ = (at + 1) % count;
      return active.error();
    }
    details += (details.empty() ? "" : "; ") + session.error().detail;
  }
  const Error error{ErrorCode::Unavailable, "no database server accepted a connection", details};
  record_failure(error);
  return error;
}

Status Connector::check_pause() {
  const std::lock_guard lock(mutex_);
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(paused_until_ - clock_.steady());
  if (failures_ == 0 || left <= left.zero()) return {};
  Error error = last_error_;
  error.retry_after = left;
  return error;
}

void Connector::record_failure(const Error& error) {
  const std::lock_guard lock(mutex_);
  const auto pause = std::min(kMaxPause, kMinPause * (1 << std::min(failures_, kMaxDoublings)));
  ++failures_;
  last_error_ = error;
  std::uniform_int_distribution<std::int64_t> half_to_whole(pause.count() / 2, pause.count());
  paused_until_ = clock_.steady() + std::chrono::milliseconds(half_to_whole(jitter_));
}

void Connector::record_success(std::size_t host) {
  first_host_ = host;
  const std::lock_guard lock(mutex_);
  failures_ = 0;
}

}  // namespace kbase::postgres
