// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "plugins/sdk/plugin.hpp"
#include "ports/driven/language_model.hpp"

namespace kbase::language_model {

/// The settings that all have: where the service is, and our key.
template <class Options>
Options access_of(const sdk::Settings& settings) {
  Options options;
  options.base_url = settings.text("base_url", options.base_url);
  options.api_key = settings.text("api_key", options.api_key);
  return options;
}

template <class Model, class Options>
sdk::Opened<ports::LanguageModel> opened(sdk::Setup& setup, const Options& options) {
  if (setup.http() == nullptr)
    return model::invalid_argument("base_url",
                                   "There is no HTTP to the service: its URL has to begin with http:// or https://.");
  return std::shared_ptr<ports::LanguageModel>(std::make_shared<Model>(options, *setup.http(), setup.clock()));
}

/// Opens a model that has no further settings.
template <class Model, class Options>
sdk::Opened<ports::LanguageModel> open_language_model(sdk::Setup& setup) {
  return opened<Model>(setup, access_of<Options>(setup.settings()));
}

}  // namespace kbase::language_model
