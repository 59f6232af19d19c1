// SPDX-License-Identifier: Apache-2.0
#include "plugins/conformance/language_model_fixture.hpp"

#include <mutex>
#include <nlohmann/json.hpp>

namespace kbase::conformance {
namespace {

using Behavior = ServiceScript::Behavior;
using Reply = FakeUpstream::Reply;

bool is_prompt(const ports::HttpRequest& request) { return !request.body.empty(); }

Reply answer_of(const FakeApi& api, const ServiceScript& script, bool is_stream) {
  FakeCompletion completion;
  completion.pieces = script.pieces;
  completion.is_cut_by_length = script.finish_reason == ports::FinishReason::Length;
  completion.prompt_tokens = script.prompt_tokens;
  completion.completion_tokens = script.completion_tokens;
  if (!is_stream) return {.fields = {{"content-type", "application/json"}}, .body = api.answer(completion)};
  Parts parts = api.stream(completion);
  if (script.behavior == Behavior::Truncated) parts.resize(api.first_text() + completion.pieces.size());
  return {.fields = {{"content-type", api.stream_type()}}, .body = joined(parts)};
}

/// If `api` is null, error bodies are "{}".
Reply reply_of(const FakeApi* api, const ServiceScript& script, const ports::HttpRequest& request) {
  const auto error = [&](std::string_view type) { return api != nullptr ? api->error(type, "No.") : "{}"; };
  switch (script.behavior) {
    case Behavior::UnknownModel:
      return {.status = 404, .body = api != nullptr ? api->no_such_model(kAskedModel) : "{}"};
    case Behavior::InvalidKey: return {.status = 401, .body = error("authentication_error")};
    case Behavior::RateLimited:
      return {.status = 429, .fields = {{"retry-after", "7"}}, .body = error("rate_limit_error")};
    case Behavior::InvalidResponse: return {.body = "<html>Welcome!</html>"};
    case Behavior::Silent: return {.is_silent = true};
    default:
      if (api == nullptr) return {.body = "{}"};
      return answer_of(*api, script, api->wants_stream(request.body));
  }
}

using Json = nlohmann::json;

/// Serializes `json`.
std::string written(const Json& json) { return json.dump(); }

bool stream_member(std::string_view request, bool is_stream_by_default) {
  const Json json = Json::parse(request, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return is_stream_by_default;
  const auto member = json.find("stream");
  return member != json.end() && member->is_boolean() ? member->get<bool>() : is_stream_by_default;
}

class FakeOpenAi final : public FakeApi {
 public:
  std::string name() const override { return "OpenAi"; }
  std::string path() const override { return "/chat/completions"; }
  std::string key_line() const override { return std::string("Authorization: Bearer ") + kFakeKey + "\r\n"; }

  std::string answer(const FakeCompletion& completion) const override {
    Json answer = start("chat.completion");
    answer["choices"] = {{{"index", 0},
                          {"message", {{"role", "assistant"}, {"content", completion.text()}, {"refusal", nullptr}}},
                          {"logprobs", nullptr},
                          {"finish_reason", reason(completion)}}};
    answer["usage"] = usage(completion);
    return written(answer);
  }

  Parts stream(const FakeCompletion& completion) const override {
    Parts parts{chunk({{"role", "assistant"}, {"content", ""}}, nullptr)};
    for (const std::string& piece : completion.pieces) parts.push_back(chunk({{"content", piece}}, nullptr));
    parts.push_back(chunk(Json::object(), reason(completion)));
    Json last = start("chat.completion.chunk");
    last["choices"] = Json::array();
    last["usage"] = usage(completion);
    parts.push_back(event(last));
    parts.emplace_back("data: [DONE]\n\n");
    return parts;
  }
  std::string stream_type() const override { return "text/event-stream; charset=utf-8"; }
  std::size_t first_text() const override { return 1; }

  std::string error(std::string_view type, std::string_view message) const override {
    return written({{"error", {{"message", message}, {"type", type}, {"param", nullptr}, {"code", nullptr}}}});
  }
  std::string error_part(std::string_view type, std::string_view message) const override {
    return "data: " + error(type, message) + "\n\n";
  }
  std::string no_such_model(std::string_view model) const override {
    return written({{"error",
                     {{"message", "The model `" + std::string(model) + "` does not exist or you do not have access."},
                      {"type", "invalid_request_error"},
                      {"param", nullptr},
                      {"code", "model_not_found"}}}});
  }

 private:
  static Json start(const char* object) {
    return {{"id", "chatcmpl-7"},
            {"object", object},
            {"created", 1'773'489'600},
            {"model", kFakeModel},
            {"system_fingerprint", nullptr}};
  }
  static const char* reason(const FakeCompletion& completion) {
    return completion.is_cut_by_length ? "length" : "stop";
  }
  static Json usage(const FakeCompletion& completion) {
    return {{"prompt_tokens", completion.prompt_tokens},
            {"completion_tokens", completion.completion_tokens},
            {"total_tokens", completion.prompt_tokens + completion.completion_tokens},
            {"prompt_tokens_details", {{"cached_tokens", 0}}}};
  }
  static std::string event(const Json& data) { return "data: " + written(data) + "\n\n"; }
  static std::string chunk(const Json& delta, const Json& finish_reason) {
    Json data = start("chat.completion.chunk");
    data["choices"] = {{{"index", 0}, {"delta", delta}, {"logprobs", nullptr}, {"finish_reason", finish_reason}}};
    return event(data);
  }
};

class FakeAnthropic final : public FakeApi {
 public:
  std::string name() const override { return "Anthropic"; }
  std::string path() const override { return "/messages"; }
  std::string key_line() const override { return std::string("x-api-key: ") + kFakeKey + "\r\n"; }

  std::string answer(const FakeCompletion& completion) const override {
    Json answer = start(completion);
    answer["content"] = {{{"type", "thinking"}, {"thinking", "A greeting."}, {"signature", "c2ln"}},
                         {{"type", "text"}, {"text", completion.text()}}};
    answer["stop_reason"] = reason(completion);
    answer["usage"]["output_tokens"] = completion.completion_tokens;
    return written(answer);
  }

  Parts stream(const FakeCompletion& completion) const override {
    Parts parts{
        event({{"type", "message_start"}, {"message", start(completion)}}),
        event({{"type", "content_block_start"}, {"index", 0}, {"content_block", {{"type", "text"}, {"text", ""}}}}),
        event({{"type", "ping"}})};
    for (const std::string& piece : completion.pieces)
      parts.push_back(
          event({{"type", "content_block_delta"}, {"index", 0}, {"delta", {{"type", "text_delta"}, {"text", piece}}}}));
    parts.push_back(event({{"type", "content_block_stop"}, {"index", 0}}));
    parts.push_back(event({{"type", "message_delta"},
                           {"delta", {{"stop_reason", reason(completion)}, {"stop_sequence", nullptr}}},
                           {"usage", {{"output_tokens", completion.completion_tokens}}}}));
    parts.push_back(event({{"type", "message_stop"}}));
    return parts;
  }
  std::string stream_type() const override { return "text/event-stream; charset=utf-8"; }
  std::size_t first_text() const override { return 3; }

  std::string error(std::string_view type, std::string_view message) const override {
    return written({{"type", "error"}, {"error", {{"type", type}, {"message", message}}}, {"request_id", "req_011"}});
  }
  std::string error_part(std::string_view type, std::string_view message) const override {
    return "event: error\ndata: " + error(type, message) + "\n\n";
  }
  std::string no_such_model(std::string_view model) const override {
    return error("not_found_error", "model: " + std::string(model));
  }

 private:
  static Json start(const FakeCompletion& completion) {
    return {{"id", "msg_01"},
            {"type", "message"},
            {"role", "assistant"},
            {"model", kFakeModel},
            {"content", Json::array()},
            {"stop_reason", nullptr},
            {"stop_sequence", nullptr},
            {"usage",
             {{"input_tokens", completion.prompt_tokens - 2},
              {"cache_creation_input_tokens", 1},
              {"cache_read_input_tokens", 1},
              {"output_tokens", 1}}}};
  }
  static const char* reason(const FakeCompletion& completion) {
    return completion.is_cut_by_length ? "max_tokens" : "end_turn";
  }
  static std::string event(const Json& data) {
    return "event: " + data["type"].get<std::string>() + "\ndata: " + written(data) + "\n\n";
  }
};

class FakeOllama final : public FakeApi {
 public:
  std::string name() const override { return "Ollama"; }
  std::string path() const override { return "/api/chat"; }
  std::string key_line() const override { return std::string("Authorization: Bearer ") + kFakeKey + "\r\n"; }

  bool wants_stream(std::string_view request) const override { return stream_member(request, true); }

  std::string answer(const FakeCompletion& completion) const override {
    Json answer = end(completion);
    answer["message"]["content"] = completion.text();
    return written(answer);
  }

  Parts stream(const FakeCompletion& completion) const override {
    Parts parts;
    for (const std::string& piece : completion.pieces) parts.push_back(line(start(piece, false)));
    parts.push_back(line(end(completion)));
    return parts;
  }
  std::string stream_type() const override { return "application/x-ndjson"; }
  std::size_t first_text() const override { return 0; }

  std::string error(std::string_view, std::string_view message) const override { return written({{"error", message}}); }
  std::string error_part(std::string_view type, std::string_view message) const override {
    return error(type, message) + "\n";
  }
  std::string no_such_model(std::string_view model) const override {
    return error({}, "model '" + std::string(model) + "' not found");
  }

 private:
  static Json start(const std::string& text, bool is_done) {
    return {{"model", kFakeModel},
            {"created_at", "2026-03-14T12:00:00.123456789Z"},
            {"message", {{"role", "assistant"}, {"content", text}}},
            {"done", is_done}};
  }
  static Json end(const FakeCompletion& completion) {
    Json json = start("", true);
    json["done_reason"] = completion.is_cut_by_length ? "length" : "stop";
    json["total_duration"] = 1'200'000;
    json["load_duration"] = 200'000;
    json["prompt_eval_count"] = completion.prompt_tokens;
    json["prompt_eval_duration"] = 300'000;
    json["eval_count"] = completion.completion_tokens;
    json["eval_duration"] = 700'000;
    return json;
  }
  static std::string line(const Json& json) { return written(json) + "\n"; }
};

}  // namespace

const FakeApi* LanguageModelFixture::api() {
  if (api_) return *api_;
  std::mutex mutex;
  std::string url;
  upstream.set_handler([&](const ports::HttpRequest& request) {
    const std::lock_guard lock(mutex);
    if (is_prompt(request)) url = request.url;
    return Reply{.status = 503};
  });
  ports::Call call;
  ports::Prompt prompt;
  prompt.text = "Which API is it?";
  prompt.model = kAskedModel;
  prompt.max_tokens = 1;
  (void)port().complete(call, prompt, [](std::string_view) { return Visit::Continue; });
  upstream.set({});
  return api_.emplace(fake_api_at(url));
}

bool LanguageModelFixture::can_answer() { return api() != nullptr; }

void LanguageModelFixture::play(const ServiceScript& script) {
  upstream.set_handler([this, script, api = api()](const ports::HttpRequest& request) {
    if (!is_prompt(request)) return Reply{.body = "{}"};
    ++prompts_;
    return reply_of(api, script, request);
  });
}

bool FakeApi::wants_stream(std::string_view request) const { return stream_member(request, false); }

std::string FakeCompletion::text() const { return joined(pieces); }

const FakeApi& fake_openai() {
  static const FakeOpenAi api;
  return api;
}

const FakeApi& fake_anthropic() {
  static const FakeAnthropic api;
  return api;
}

const FakeApi& fake_ollama() {
  static const FakeOllama api;
  return api;
}

const std::vector<const FakeApi*>& fake_apis() {
  static const std::vector<const FakeApi*> apis{&fake_openai(), &fake_anthropic(), &fake_ollama()};
  return apis;
}

const FakeApi* fake_api_at(std::string_view url) {
  const std::string_view place = url.substr(0, url.find_first_of("?#"));
  for (const FakeApi* const api : fake_apis())
    if (place.ends_with(api->path())) return api;
  return nullptr;
}

}  // namespace kbase::conformance
