// SPDX-License-Identifier: Apache-2.0
// The suite of code hosts on the plainest one there is, as it is and through the plugin boundary.
#include <algorithm>
#include <optional>

#include "app/plugin_host/open_ports.hpp"
#include "plugins/conformance/code_host_suite.hpp"
#include "plugins/sdk/plugin.hpp"
#include "tests/support/contract.hpp"

namespace kbase::tests {
namespace {

using model::ErrorCode;

model::Error error(ErrorCode code, std::string message, std::chrono::milliseconds retry_after = {}) {
  return {code, std::move(message), {}, {}, retry_after};
}

/// Speaks to a service whose whole answer about Ada is "user ada".
class PlainCodeHost final : public ports::CodeHost {
 public:
  explicit PlainCodeHost(ports::HttpClient& http) : http_(http) {}

  bool is_username(std::string_view username) const noexcept override {
    return !username.empty() && username.size() <= 39 &&
           std::all_of(username.begin(), username.end(), [](char c) { return c >= 'a' && c <= 'z'; });
  }

  model::Result<ports::LookUp> look_up(ports::Call& call, std::string_view username, std::string_view,
                                       ports::UserVisitor& visitor) override {
    const auto body = get(call, "/users/" + std::string(username));
    if (!body) return body.error();
    if (*body != "user " + std::string(username)) return error(ErrorCode::BadUpstream, "That is no user.");
    ports::UserProfile profile;
    profile.username = username;
    visitor.profile(profile);
    return ports::LookUp{};
  }

  model::Status health(ports::Call& call) override {
    const auto body = get(call, "/");
    return body ? model::Status() : body.error();
  }

 private:
  model::Result<std::string> get(ports::Call& call, const std::string& path) {
    const std::string url = "https://plain.example" + path;
    ports::HttpRequest request;
    request.url = url;
    auto exchange = http_.open(call, request);
    if (!exchange) return exchange.error();
    const auto head = (*exchange)->head();
    if (!head) return head.error();
    if (head->status == 404) return error(ErrorCode::NotFound, "There is no such user.");
    if (head->status == 429) return error(ErrorCode::Unavailable, "Its rate limit is used up.", wait_of(*head));
    if (head->status >= 500) return error(ErrorCode::Unavailable, "It failed.");
    if (head->status != 200) return error(ErrorCode::BadUpstream, "It did not answer.");
    std::string body;
    char some[512];
    for (;;) {
      const auto size = (*exchange)->read(some);
      if (!size) return size.error();
      if (*size == 0) return body;
      body.append(some, *size);
    }
  }

  static std::chrono::seconds wait_of(const ports::HttpHead& head) {
    for (const ports::HttpField& field : head.fields)
      if (field.name == "retry-after") return std::chrono::seconds(std::stoi(std::string(field.value)));
    return {};
  }

  ports::HttpClient& http_;
};

class PlainFixture final : public conformance::CodeHostFixture {
 public:
  ports::CodeHost& port() override { return host_; }
  bool reopen() override { return false; }

 private:
  PlainCodeHost host_{upstream};
};

class Silence final : public ports::EventLog {
 public:
  void log(ports::LogLevel, std::string_view, std::string_view, std::span<const ports::LogField>) override {}
};

sdk::Opened<ports::CodeHost> open_plain(sdk::Setup& setup) {
  return std::shared_ptr<ports::CodeHost>(std::make_shared<PlainCodeHost>(*setup.http()));
}

const auto kPlain = sdk::table<ports::CodeHost, open_plain>({});

class PluggedFixture final : public conformance::CodeHostFixture {
 public:
  ports::CodeHost& port() override { return *host_; }
  bool reopen() override { return false; }

 private:
  Silence log_;
  plugin_host::HostTable table_{"org.example.plain", "org.example.plain", {clock, log_, nullptr, &upstream}};
  std::unique_ptr<ports::CodeHost> host_ =
      plugin_host::open_code_host(kPlain, table_, R"({"base_url":"https://plain.example"})").value();
};

[[maybe_unused]] const bool kRegistered =
    register_contract<conformance::CodeHostFixture>("PlainCodeHost", conformance::code_host_suite(),
                                                    [] { return std::make_unique<PlainFixture>(); }) &&
    register_contract<conformance::CodeHostFixture>("PluggedCodeHost", conformance::code_host_suite(),
                                                    [] { return std::make_unique<PluggedFixture>(); });

}  // namespace
}  // namespace kbase::tests
