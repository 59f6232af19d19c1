// SPDX-License-Identifier: Apache-2.0
// Any Redis URL is accepted or rejected. An accepted one is unchanged after it is written in full and parsed again.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "adapters/redis/location.hpp"

namespace kbase::redis {
namespace {

/// Encodes each byte as %XX so that none has a special meaning in the URL.
std::string encoded(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string url;
  for (const char character : text) {
    const auto byte = static_cast<unsigned char>(character);
    url += '%';
    url += kDigits[byte / 16];
    url += kDigits[byte % 16];
  }
  return url;
}

std::string path_of(const Location& location) {
  const std::string database = '/' + std::to_string(location.database);
  switch (location.kind) {
    case Location::Kind::Single: return database;
    case Location::Kind::Sentinels: return '/' + location.primary + database;
    case Location::Kind::Cluster: break;
  }
  return {};
}

std::string written(const Location& location) {
  std::string url = location.tls ? "rediss" : "redis";
  if (location.kind == Location::Kind::Sentinels) url += "+sentinel";
  if (location.kind == Location::Kind::Cluster) url += "+cluster";
  url += "://" + encoded(location.username) + ':' + encoded(location.password) + '@';
  for (const Endpoint& endpoint : location.endpoints) url += endpoint.text() + ',';
  url.pop_back();
  return url + path_of(location);
}

bool is_same(const Location& one, const Location& other) {
  return one.kind == other.kind && one.tls == other.tls && one.endpoints == other.endpoints &&
         one.primary == other.primary && one.database == other.database && one.username == other.username &&
         one.password == other.password;
}

}  // namespace
}  // namespace kbase::redis

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kbase::redis;
  const auto location = Location::parse({reinterpret_cast<const char*>(data), size});
  if (!location) return 0;
  if (location->endpoints.empty()) std::abort();
  const auto again = Location::parse(written(*location));
  if (!again || !is_same(*again, *location)) std::abort();
  return 0;
}
