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

/// What an API looks like from far. Texts are literals.
struct ApiOutline {
  std::string_view completions;  ///< path below the base URL that prompts are sent to
  std::string_view probe;        ///< one that answers GET and costs nothing
  Framing framing = Framing::Events;
  std::string_view end_mark;  ///< the part after which nothing comes and that is no JSON; "": there is none
};

/// A language model behind HTTP; its subclasses know how an API words things. Keeps nothing between calls. The parts of
/// a stream are told as they come, so the service goes no faster than the visitor.
class HttpLanguageModel : public ports::LanguageModel {
 public:
  model::Result<ports::Completion> complete(ports::Call& call, const ports::Prompt& prompt,
                                            model::Visitor<std::string_view> text) final;
  model::Status health(ports::Call& call) final;

 protected:
  HttpLanguageModel(Service service, ApiOutline outline) : service_(std::move(service)), outline_(outline) {}

  /// What a part of a stream is.
  enum class Part { More, Last };

 private:
  /// The body of a request. InvalidArgument: the API has no such value.
  virtual model::Result<std::string> request_of(const ports::Prompt& prompt) const = 0;

  /// Takes from an answer, or from a part of a stream, what it has.
  virtual model::Status read_answer(Value answer, Draft& draft) const = 0;
  virtual model::Result<Part> read_part(Value part, Draft& draft) const = 0;

  model::Status read(ports::HttpExchange& answer, const ports::Prompt& prompt, Draft& draft) const;
  model::Status read_stream(ports::HttpExchange& answer, const ports::Prompt& prompt, Draft& draft) const;

  const Service service_;
  const ApiOutline outline_;
};

}  // namespace kbase::language_model
