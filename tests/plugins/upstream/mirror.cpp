// SPDX-License-Identifier: Apache-2.0
// Cache whose values are the pages of a site: an adapter inside a plugin that uses ports::HttpClient.
#include <array>
#include <string>

#include "plugins/sdk/plugin.hpp"

namespace {

namespace ports = kbase::ports;
namespace sdk = kbase::sdk;
using namespace kbase;

constexpr char kSettings[] = R"({"type": "object", "additionalProperties": false, "properties": {
  "base_url": {"type": "string", "default": ""}}})";

/// A key is a path of the site or a complete URL.
class Mirror final : public ports::Cache {
 public:
  Mirror(ports::HttpClient& http, std::string base_url) : http_(http), base_url_(std::move(base_url)) {}

  Result<bool> get(ports::Call& call, std::string_view key, Visitor<std::string_view> visit) override {
    const std::string url = key.starts_with('/') ? base_url_ + std::string(key) : std::string(key);
    ports::HttpRequest request;
    request.url = url;
    const auto exchange = http_.open(call, request);
    if (!exchange) return exchange.error();
    const auto head = (*exchange)->head();
    if (!head) return head.error();
    if (head->status != 200) return false;
    const auto page = read(**exchange);
    if (!page) return page.error();
    visit(*page);
    return true;
  }

  Status put(ports::Call&, std::string_view, std::string_view, std::chrono::milliseconds) override { return {}; }
  Status erase(ports::Call&, std::string_view) override { return {}; }
  Status health(ports::Call&) override { return {}; }

 private:
  static Result<std::string> read(ports::HttpExchange& exchange) {
    std::string page;
    std::array<char, 4096> buffer{};
    while (true) {
      const auto got = exchange.read(buffer);
      if (!got) return got.error();
      if (*got == 0) return page;
      page.append(buffer.data(), *got);
    }
  }

  ports::HttpClient& http_;
  const std::string base_url_;
};

sdk::Opened<ports::Cache> open_mirror(sdk::Setup& setup) {
  if (setup.http() == nullptr) return invalid_argument("base_url", "There is no site to mirror.");
  return std::shared_ptr<ports::Cache>(std::make_shared<Mirror>(*setup.http(), setup.settings().text("base_url", "")));
}

const auto kMirror = sdk::table<ports::Cache, open_mirror>({.config_schema = kSettings});

const void* get_port(const char* id) { return sdk::port(id, kMirror); }

constexpr kb_plugin kPlugin = sdk::descriptor("org.example.mirror", "1.0.0", "Example", "Apache-2.0", get_port);

}  // namespace

KB_NOTE;

const kb_plugin* kb_plugin_entry() noexcept { return &kPlugin; }
