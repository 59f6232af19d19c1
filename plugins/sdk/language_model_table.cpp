// SPDX-License-Identifier: Apache-2.0
#include "plugins/sdk/entry.hpp"
#include "plugins/sdk/table.hpp"

namespace kbase::sdk {
namespace {

ports::LanguageModel& of(kb_language_model* model) noexcept {
  return port_of<ports::LanguageModel>(model);
}

class Text : public Sink<kb_text_sink> {
 public:
  using Sink::Sink;
  model::Visit operator()(std::string_view piece) { return lend(view_of(piece)); }
};

kb_status complete(kb_language_model* model, kb_call* call, const kb_completion_request* request, kb_text_sink text,
                   kb_completion_sink completion, void* data) noexcept {
  return guarded(call, [&](ports::Call& inner) {
    Text pieces(text, data);
    const auto ended_as = of(model).complete(inner, prompt_of(*request), pieces);
    if (!ended_as) return ended(call, ended_as.error(), pieces);
    const kb_completion told = completion_of(*ended_as);
    completion(data, &told);
    return KB_OK;
  });
}

}  // namespace

constinit const kb_language_model_v1 InC<ports::LanguageModel>::kCalls = {
    .struct_size = sizeof(kb_language_model_v1),
    .inline_calls = 0,
    .flags = 0,
    .capabilities = 0,
    .config_schema = nullptr,
    .create = nullptr,
    .destroy = destroy,
    .health = health<ports::LanguageModel>,
    .complete = complete,
};

}  // namespace kbase::sdk
