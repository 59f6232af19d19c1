// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "adapters/language_model/draft.hpp"
#include "adapters/language_model/json.hpp"
#include "adapters/language_model/part_stream.hpp"
#include "adapters/language_model/service.hpp"
#include "ports/driven/language_model.hpp"

namespace kbase::language_model {

/// The paths and the stream format of an API. The texts must be literals.
struct ApiOutline {
  std::string_view completions;  ///< path below the base URL for prompts
  std::string_view probe;        ///< path that answers GET without cost
  Framing framing = Framing::Events;
  std::string_view end_mark;  ///< last part of a stream, which is not JSON; "": the API has none
};

/// Base class for language models behind HTTP. Derived classes define the requests and responses of an API. Keeps no
/// state between calls. Passes the parts of a stream to the visitor as they arrive, so a slow visitor slows the service
/// down.
class HttpLanguageModel : public ports::LanguageModel {
 public:
  model::Result<ports::Completion> complete(ports::Call& call, const ports::Prompt& prompt,
                                            model::Visitor<std::string_view> text) final;
  model::Status health(ports::Call& call) final;

 protected:
  HttpLanguageModel(Service service, ApiOutline outline) : service_(std::move(service)), outline_(outline) {}

  /// Whether a stream has more parts.
  enum class Part { More, Last };

 private:
  /// Returns the body of a request. InvalidArgument: the API does not support a value of the prompt.
  virtual model::Result<std::string> request_of(const ports::Prompt& prompt) const = 0;

  /// Read a response, or a part of a stream, into `draft`.
  virtual model::Status read_answer(Value answer, Draft& draft) const = 0;
  virtual model::Result<Part> read_part(Value part, Draft& draft) const = 0;

  model::Status read(ports::HttpExchange& answer, const ports::Prompt& prompt, Draft& draft) const;
  model::Status read_stream(ports::HttpExchange& answer, const ports::Prompt& prompt, Draft& draft) const;

  const Service service_;
  const ApiOutline outline_;
};

}  // namespace kbase::language_model
