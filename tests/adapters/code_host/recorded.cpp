// SPDX-License-Identifier: Apache-2.0
#include "tests/adapters/code_host/recorded.hpp"

#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

namespace kbase::tests {
namespace {

using Json = nlohmann::json;

/// Hop-by-hop fields and fields of the transferred body, which the fake service writes itself.
bool is_transport_field(const std::string& name) {
  return name == "Content-Length" || name == "Transfer-Encoding" || name == "Content-Encoding" || name == "Connection";
}

std::string http_date(std::time_t second) {
  std::string text(64, '\0');
  std::tm parts{};
  text.resize(std::strftime(text.data(), text.size(), "%a, %d %b %Y %H:%M:%S GMT", gmtime_r(&second, &parts)));
  return text;
}

/// Resolves "@unix+3s" to three seconds from now in seconds since 1970, and "@date+3s" to the HTTP date.
std::string resolve_placeholders(const std::string& value, model::Instant now) {
  if (!value.starts_with("@unix") && !value.starts_with("@date")) return value;
  const std::time_t second = now.time_since_epoch().count() / 1000 + std::stol(value.substr(5));
  return value.starts_with("@unix") ? std::to_string(second) : http_date(second);
}

std::string text_of(const Json& value) {
  if (value.is_null()) return {};
  return value.is_string() ? value.get<std::string>() : value.dump();
}

Recorded exchange_of(const Json& json, model::Instant now) {
  const Json& request = json["request"];
  const Json& response = json["response"];
  Recorded exchange{json.value("source", ""), request["method"], request["path"], {}, {}};
  if (request.contains("headers") && request["headers"].is_object())
    exchange.if_none_match = request["headers"].value("If-None-Match", "");
  exchange.answer.status = response["status"];
  exchange.answer.body = text_of(response["body"]);
  for (const auto& [name, values] : response["headers"].items())
    for (const Json& value : values.is_array() ? values : Json::array({values}))
      if (!is_transport_field(name))
        exchange.answer.fields.push_back(name + ": " + resolve_placeholders(text_of(value), now));
  return exchange;
}

}  // namespace

std::vector<Recorded> recorded(const std::string& file, model::Instant now) {
  std::vector<Recorded> exchanges;
  const char* const folder = std::getenv("KBASE_TEST_DATA");
  if (folder == nullptr) return exchanges;
  std::ifstream input(std::filesystem::path(folder) / "codehost" / file);
  if (!input.is_open()) return exchanges;
  for (const Json& each : Json::parse(input)) exchanges.push_back(exchange_of(each, now));
  return exchanges;
}

}  // namespace kbase::tests
