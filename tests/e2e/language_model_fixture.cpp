// SPDX-License-Identifier: Apache-2.0
#include "tests/e2e/language_model_fixture.hpp"

#include <algorithm>
#include <iterator>

namespace kbase::tests {
namespace {

using nlohmann::json;

bool is_for_stream(const ReceivedRequest& request) {
  return json::parse(request.body, nullptr, false).value("stream", false);
}

/// Returns the text after "`name`: ", up to the end of its line.
std::string line_of(std::string_view event, std::string_view name) {
  const std::string start = std::string(name) + ": ";
  std::size_t from = event.starts_with(start) ? 0 : event.find("\n" + start);
  if (from == std::string_view::npos) return {};
  if (from != 0) ++from;
  event.remove_prefix(from + start.size());
  return std::string(event.substr(0, event.find('\n')));
}

}  // namespace

// ------------------------------------------------------------------------------------------- the service

std::vector<std::string> ModelService::settings() const {
  std::string plugin = api_.name();
  std::transform(plugin.begin(), plugin.end(), plugin.begin(), [](unsigned char c) { return std::tolower(c); });
  return {"llm.plugin=" + plugin, "llm.config.base_url=" + server_.url("/v1"),
          std::string("llm.config.api_key=") + kFakeKey, std::string("llm.config.default_model=") + kFakeModel};
}

void ModelService::complete(const FakeCompletion& completion) {
  play([this, completion](const ReceivedRequest& request, Peer& peer) {
    if (!is_for_stream(request)) return peer.answer("200 OK", api_.answer(completion));
    peer.send(stream_head(api_) + joined(api_.stream(completion)));
    peer.close();
  });
}

void ModelService::refuse(const std::string& status_and_fields, const std::string& body) {
  play([status_and_fields, body](const ReceivedRequest&, Peer& peer) { peer.answer(status_and_fields, body); });
}

void ModelService::say_nothing() {
  play([](const ReceivedRequest&, Peer& peer) { peer.wait_until_left(); });
}

void ModelService::play(Script script) {
  const std::lock_guard lock(mutex_);
  script_ = std::move(script);
}

void ModelService::begin(Peer& peer) const {
  const Parts parts = api_.stream({});
  peer.send(stream_head(api_));
  for (std::size_t i = 0; i <= api_.first_text(); ++i) peer.send(parts[i]);
}

void ModelService::finish(Peer& peer) const {
  const Parts parts = api_.stream({});
  for (std::size_t i = api_.first_text() + 1; i < parts.size(); ++i) peer.send(parts[i]);
  peer.close();
}

std::vector<ReceivedRequest> ModelService::prompts() const {
  std::vector<ReceivedRequest> prompts;
  const std::vector<ReceivedRequest> received = server_.received();
  std::copy_if(received.begin(), received.end(), std::back_inserter(prompts),
               [](const ReceivedRequest& request) { return request.method == "POST"; });
  return prompts;
}

/// Every request that is not a prompt is a health check.
void ModelService::answer(const ReceivedRequest& request, Peer& peer) {
  if (request.method != "POST") return peer.answer("200 OK", "{}");
  Script script;
  {
    const std::lock_guard lock(mutex_);
    script = script_;
  }
  script(request, peer);
}

std::vector<Event> events_of(std::string_view body) {
  std::vector<Event> events;
  while (!body.empty()) {
    const std::size_t end = body.find("\n\n");
    EXPECT_NE(end, std::string_view::npos) << "an event without an end: " << body;
    if (end == std::string_view::npos) break;
    const std::string_view event = body.substr(0, end);
    body.remove_prefix(end + 2);
    if (event.starts_with(':')) continue;
    events.push_back({line_of(event, "event"), json::parse(line_of(event, "data"), nullptr, false)});
    EXPECT_FALSE(events.back().name.empty() || events.back().data.is_discarded()) << event;
  }
  return events;
}

// ------------------------------------------------------------------------------------------- its servers

Client LanguageModelTest::serve(std::vector<std::string> settings) {
  server_.reset();  // a base has one server at a time
  server_.reset(new ServerProcess(base_.serve(arguments(std::move(settings)))));
  return Client(server_->base_url(), key());
}

Outcome LanguageModelTest::run(std::vector<std::string> command, std::vector<std::string> settings) const {
  for (std::string& argument : arguments(std::move(settings))) command.push_back(std::move(argument));
  return base_.run(std::move(command));
}

const std::string& LanguageModelTest::key() {
  if (key_.empty()) key_ = base_.create_key("developer").text;
  return key_;
}

RawClient LanguageModelTest::raw_client() const {
  const std::string& url = server_->base_url();
  const std::size_t port = url.find(':', url.find("//")) + 1;
  return RawClient(static_cast<std::uint16_t>(std::stoi(url.substr(port))));
}

std::string LanguageModelTest::raw_prompt(std::string_view body, std::string_view version, std::string_view fields) {
  std::string request = "POST /api/v1/external/llm HTTP/" + std::string(version) + "\r\nHost: x\r\n";
  request.append("Authorization: Bearer ").append(key()).append("\r\n").append(fields);
  return request.append("Content-Length: ").append(std::to_string(body.size())).append("\r\n\r\n").append(body);
}

Request LanguageModelTest::post(std::string body, std::vector<std::string> fields) {
  const auto is_type = [](const std::string& field) { return field.starts_with("Content-Type:"); };
  if (std::none_of(fields.begin(), fields.end(), is_type)) fields.emplace_back("Content-Type: application/json");
  return {.method = "POST",
          .target = "/external/llm",
          .fields = std::move(fields),
          .body = std::move(body),
          .whole_target = {}};
}

std::vector<std::string> LanguageModelTest::arguments(std::vector<std::string> settings) const {
  const std::vector<std::string> of_service = service_.settings();
  settings.insert(settings.begin(), of_service.begin(), of_service.end());
  std::vector<std::string> all;
  for (std::string& setting : settings) {
    all.emplace_back("--set");
    all.push_back(std::move(setting));
  }
  return all;
}

}  // namespace kbase::tests
