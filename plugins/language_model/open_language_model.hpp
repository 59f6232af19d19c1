// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "plugins/sdk/plugin.hpp"
#include "ports/driven/http_client.hpp"
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

/// In place of HTTP that nobody lends, as when a plugin is checked.
class NoHttp final : public ports::HttpClient {
 public:
  model::Result<std::unique_ptr<ports::HttpExchange>> open(ports::Call&, const ports::HttpRequest&) override {
    return model::Error{
        model::ErrorCode::Unsupported, "The external service can't be asked.", "no HTTP is lent to the plugin", {}, {}};
  }
};

template <class Model>
struct Unreachable {
  template <class Options>
  Unreachable(const Options& options, const ports::Clock& clock) : model(options, http, clock) {}

  NoHttp http;
  Model model;
};

/// InvalidArgument: the URL is none that HTTP could reach.
template <class Model, class Options>
sdk::Opened<ports::LanguageModel> opened(sdk::Setup& setup, const Options& options) {
  if (setup.http() != nullptr)
    return std::shared_ptr<ports::LanguageModel>(std::make_shared<Model>(options, *setup.http(), setup.clock()));
  if (!options.base_url.starts_with("http://") && !options.base_url.starts_with("https://"))
    return model::invalid_argument("base_url", "The URL of the service has to begin with http:// or https://.");
  const auto both = std::make_shared<Unreachable<Model>>(options, setup.clock());
  return std::shared_ptr<ports::LanguageModel>(both, &both->model);
}

/// Opens a model that has no further settings.
template <class Model, class Options>
sdk::Opened<ports::LanguageModel> open_language_model(sdk::Setup& setup) {
  return opened<Model>(setup, access_of<Options>(setup.settings()));
}

}  // namespace kbase::language_model
