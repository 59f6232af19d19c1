// SPDX-License-Identifier: Apache-2.0
#include "plugins/conformance/language_model_fixture.hpp"

#include <mutex>

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

}  // namespace kbase::conformance
