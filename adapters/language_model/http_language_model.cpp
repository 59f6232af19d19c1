// SPDX-License-Identifier: Apache-2.0
#include "adapters/language_model/http_language_model.hpp"

namespace kbase::language_model {
namespace {

/// Parses a response of the service or a part of a stream. Returns the error if it is an error object.
model::Result<Document> document_of(const Service& service, std::string_view text, const ports::Prompt& prompt) {
  auto document = Document::parse(text);
  if (!document || !document->root().is_object()) return nonsense("its answer, or a part of it, is no JSON object");
  if (const auto complaint = service.complaint_in(document->root())) return error_of(*complaint, prompt.model);
  return *std::move(document);
}

}  // namespace

model::Result<ports::Completion> HttpLanguageModel::complete(ports::Call& call, const ports::Prompt& prompt,
                                                             model::Visitor<std::string_view> text) {
  const auto body = request_of(prompt);
  if (!body) return body.error();
  const std::string_view of_stream = outline_.framing == Framing::Events ? "text/event-stream" : "application/x-ndjson";
  const std::string_view accepted = prompt.is_stream ? of_stream : "application/json";
  const auto answer = service_.post(call, outline_.completions, accepted, *body, prompt.model);
  if (!answer) return answer.error();
  Draft draft(prompt, text);
  const auto told = prompt.is_stream ? read_stream(**answer, prompt, draft) : read(**answer, prompt, draft);
  if (!told) return told.error();
  return draft.finish();
}

model::Status HttpLanguageModel::health(ports::Call& call) {
  return service_.probe(call, outline_.probe);
}

model::Status HttpLanguageModel::read(ports::HttpExchange& answer, const ports::Prompt& prompt, Draft& draft) const {
  const auto body = body_of(answer);
  if (!body) return body.error();
  const auto document = document_of(service_, *body, prompt);
  if (!document) return document.error();
  return read_answer(document->root(), draft);
}

model::Status HttpLanguageModel::read_stream(ports::HttpExchange& answer, const ports::Prompt& prompt,
                                             Draft& draft) const {
  PartStream stream(answer, outline_.framing);
  while (true) {
    const auto found = stream.next();
    if (!found) return found.error();
    if (!*found || (!outline_.end_mark.empty() && stream.part() == outline_.end_mark)) return {};
    const auto document = document_of(service_, stream.part(), prompt);
    if (!document) return document.error();
    const auto read = read_part(document->root(), draft);
    if (!read) return read.error();
    if (*read == Part::Last) return {};
  }
}

}  // namespace kbase::language_model
