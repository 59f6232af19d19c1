// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kbase/language_model.h>

#include <memory>

#include "app/plugin_host/instance.hpp"
#include "ports/driven/language_model.hpp"

namespace kbase::plugin_host {

using LanguageModelInstance = Instance<kb_language_model_v1, kb_language_model>;

/// Implements ports::LanguageModel with a plugin's table. Errors: see ItemStoreProxy; also Internal if a piece of text
/// is empty, not UTF-8 or beyond the size limit, or if the end is invalid or not reported exactly once.
class LanguageModelProxy final : public ports::LanguageModel {
 public:
  explicit LanguageModelProxy(std::unique_ptr<LanguageModelInstance> instance);

  model::Result<ports::Completion> complete(ports::Call& call, const ports::Prompt& prompt,
                                            model::Visitor<std::string_view> text) override;
  model::Status health(ports::Call& call) override { return instance_->health(call); }

 private:
  const std::unique_ptr<LanguageModelInstance> instance_;
  const kb_language_model_v1& table_;
  kb_language_model* const model_;
};

}  // namespace kbase::plugin_host
