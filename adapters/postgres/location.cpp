// SPDX-License-Identifier: Apache-2.0
#include "adapters/postgres/location.hpp"

#include <libpq-fe.h>

#include <algorithm>
#include <charconv>
#include <memory>

namespace kbase::postgres {
namespace {

constexpr std::string_view kDefaultPort = "5432";
constexpr std::chrono::seconds kConnectTimeout{2};
constexpr int kMaxTimeout = 60;

struct Free {
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

std::string take(Session::Keywords& keywords, std::string_view name) {
  const auto found =
      std::find_if(keywords.begin(), keywords.end(), [name](const auto& keyword) { return keyword.first == name; });
  if (found == keywords.end()) return {};
  std::string value = std::move(found->second);
  keywords.erase(found);
  return value;
}

void set_unless_there(Session::Keywords& keywords, const char* name, const char* value) {
  const auto is_same = [name](const auto& keyword) { return keyword.first == name; };
  if (std::none_of(keywords.begin(), keywords.end(), is_same)) keywords.emplace_back(name, value);
}

model::Result<Session::Keywords> keywords_of(const std::string& url) {
  char* complaint = nullptr;
  const std::unique_ptr<PQconninfoOption, Free> options(PQconninfoParse(url.c_str(), &complaint));
  PQfreemem(complaint);
  if (!options)
    return model::invalid_argument(
        "url",
        "is no connection string of libpq: write postgres://USER@HOST:PORT/DATABASE, with several HOST:PORT "
        "separated by commas, or host=HOST dbname=DATABASE user=USER; special characters of a URL as %XX");
  Session::Keywords keywords;
  for (const PQconninfoOption* option = options.get(); option->keyword != nullptr; ++option)
    if (option->val != nullptr) keywords.emplace_back(option->keyword, option->val);
  return keywords;
}

/// Splits a list that belongs to the hosts: one part per host, one part for all, or empty.
model::Result<std::vector<std::string>> spread(const std::string& list, std::size_t count, const char* name) {
  std::vector<std::string> parts = split(list);
  if (parts.size() == 1) parts.resize(count, parts.front());
  if (parts.size() == count) return parts;
  return model::invalid_argument("url", std::string("names ") + std::to_string(parts.size()) + " of " + name + " for " +
                                            std::to_string(count) + " hosts: name one for each, or one for all");
}

model::Result<std::chrono::milliseconds> timeout_of(const std::string& connect_timeout) {
  if (connect_timeout.empty()) return std::chrono::milliseconds(kConnectTimeout);
  int seconds = 0;
  const char* const end = connect_timeout.data() + connect_timeout.size();
  const auto read = std::from_chars(connect_timeout.data(), end, seconds);
  if (read.ec != std::errc() || read.ptr != end || seconds < 1 || seconds > kMaxTimeout)
    return model::invalid_argument("url", "has a connect_timeout that is not 1 to 60 (seconds)");
  return std::chrono::milliseconds(std::chrono::seconds(seconds));
}

}  // namespace

model::Result<Location> Location::parse(const std::string& url, const std::string& password) {
  auto parsed = keywords_of(url);
  if (!parsed) return parsed.error();
  Session::Keywords& keywords = *parsed;
  const auto timeout = timeout_of(take(keywords, "connect_timeout"));
  if (!timeout) return timeout.error();
  if (!password.empty()) {
    take(keywords, "password");
    keywords.emplace_back("password", password);
  }
  const std::string names = take(keywords, "host"), addresses = take(keywords, "hostaddr");
  const std::string& list = addresses.empty() ? names : addresses;
  const std::size_t count = split(list).size();
  const auto hosts = spread(names, count, "host");
  const auto host_addresses = spread(addresses, count, "hostaddr");
  const auto ports = spread(take(keywords, "port"), count, "port");
  for (const auto* spread_out : {&hosts, &host_addresses, &ports})
    if (!*spread_out) return spread_out->error();
  set_unless_there(keywords, "target_session_attrs", "read-write");
  set_unless_there(keywords, "client_encoding", "UTF8");
  set_unless_there(keywords, "fallback_application_name", "kbase");
  set_unless_there(keywords, "keepalives_idle", "10");
  set_unless_there(keywords, "keepalives_interval", "5");
  set_unless_there(keywords, "keepalives_count", "3");
  set_unless_there(keywords, "tcp_user_timeout", "25000");  // no keepalives while sent data is unacknowledged
  Location location{{}, *timeout};
  for (std::size_t i = 0; i < count; ++i) {
    const std::string &host = (*hosts)[i], &address = (*host_addresses)[i], &port = (*ports)[i];
    Session::Keywords own = keywords;
    if (!host.empty()) own.emplace_back("host", host);
    if (!address.empty()) own.emplace_back("hostaddr", address);
    if (!port.empty()) own.emplace_back("port", port);
    std::string name = !host.empty() ? host : !address.empty() ? address : "the default host";
    location.hosts.push_back({name + ':' + (port.empty() ? std::string(kDefaultPort) : port), std::move(own)});
  }
  return location;
}

}  // namespace kbase::postgres
