// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kbase/language_model.h>

#include <memory>

#include "app/plugin_host/instance.hpp"
#include "ports/driven/language_model.hpp"

namespace kbase::plugin_host {

using LanguageModelInstance = Instance<kb_language_model_v1, kb_language_model>;

/// A plugin's language model as the port. Errors: as ItemStoreProxy; Internal too where a piece of text is empty, no
/// UTF-8 or more than any completion has, or the end is told not once, or as nothing that can be.
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
