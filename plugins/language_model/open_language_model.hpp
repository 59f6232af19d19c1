// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "plugins/sdk/plugin.hpp"
#include "ports/driven/http_client.hpp"
#include "ports/driven/language_model.hpp"

namespace kbase::language_model {

/// Reads the settings that all language models have: the URL of the service and the API key.
template <class Options> Options read_access_settings(const sdk::Settings& settings) {
  Options options;
  options.base_url = settings.text("base_url", options.base_url);
  options.api_key = settings.text("api_key", options.api_key);
  return options;
}

/// HTTP client that always fails, used when the host provides none, for example when a plugin is checked.
class NoHttpClient final : public ports::HttpClient {
 public:
  Result<std::unique_ptr<ports::HttpExchange>> open(ports::Call&, const ports::HttpRequest&) override {
    return Error{ErrorCode::Unsupported, "There is no HTTP client for the external service.",
                 "the host provides no HTTP client to the plugin"};
  }
};

template <class Model> struct ModelWithoutHttp {
  template <class Options>
  ModelWithoutHttp(const Options& options, const ports::Clock& clock) : model(options, http, clock) {}

  NoHttpClient http;
  Model model;
};

/// InvalidArgument: the URL does not begin with http:// or https:// (checked here only without an HTTP client).
template <class Model, class Options>
sdk::Opened<ports::LanguageModel> open_with(sdk::Setup& setup, const Options& options) {
  if (setup.http() != nullptr)
    return std::shared_ptr<ports::LanguageModel>(std::make_shared<Model>(options, *setup.http(), setup.clock()));
  if (!options.base_url.starts_with("http://") && !options.base_url.starts_with("https://"))
    return invalid_argument("base_url", "The URL of the service must begin with http:// or https://.");
  const auto wrapper = std::make_shared<ModelWithoutHttp<Model>>(options, setup.clock());
  return std::shared_ptr<ports::LanguageModel>(wrapper, &wrapper->model);
}

/// Opens a model without further settings.
template <class Model, class Options> sdk::Opened<ports::LanguageModel> open_language_model(sdk::Setup& setup) {
  return open_with<Model>(setup, read_access_settings<Options>(setup.settings()));
}

}  // namespace kbase::language_model
