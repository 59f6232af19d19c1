// SPDX-License-Identifier: Apache-2.0
#include "adapters/http/completion_body.hpp"

#include <cmath>
#include <cstdint>
#include <string>

#include <nlohmann/json.hpp>

#include "adapters/json/bounds.hpp"

namespace kbase::http {
namespace {

using Json = nlohmann::json;

/// Far above what a valid request contains.
constexpr json::Bounds kBounds{.depth = 64, .values = 10'000};
constexpr double kMaxTemperature = 2.0;
constexpr std::uint64_t kMostExact = (std::uint64_t{1} << 53U) - 1;  // largest integer that a double represents exactly

std::variant<Json, Problem> parse_document(std::string_view text) {
  if (!json::is_within(kBounds, text))
    return invalid_body("The body has more than " + std::to_string(kBounds.values) +
                        " values, or nests them more than " + std::to_string(kBounds.depth) + " deep.");
  try {
    return Json::parse(text);
  } catch (const Json::out_of_range&) {
    return invalid_body("The body has a number that is too large.");
  } catch (const Json::parse_error&) {
    return invalid_body("The body is not JSON.");
  }
}

/// Reads members of an object and keeps the first error.
class MemberReader {
 public:
  explicit MemberReader(const Json& object) : object_(object) {}

  const Json* find(const char* name) const {
    const auto member = object_.find(name);
    return member != object_.end() ? &*member : nullptr;
  }

  void text(const char* name, std::optional<std::string>& into) {
    const Json* member = find(name);
    if (member == nullptr) return;
    if (!member->is_string()) return fail(name, "must be a string");
    into = member->get<std::string>();
  }

  void count(const char* name, std::optional<std::uint64_t>& into) {
    const Json* member = find(name);
    if (member == nullptr) return;
    // JSON Schema treats 5.0 as an integer.
    const double value = member->is_number() ? member->get<double>() : 0.0;
    if (!(value >= 1.0 && value <= static_cast<double>(kMostExact) && value == std::floor(value)))
      return fail(name, "must be a whole number from 1 to " + std::to_string(kMostExact));
    into = static_cast<std::uint64_t>(value);
  }

  void temperature(const char* name, std::optional<double>& into) {
    const Json* member = find(name);
    if (member == nullptr) return;
    const double value = member->is_number() ? member->get<double>() : -1.0;
    if (!(value >= 0.0 && value <= kMaxTemperature)) return fail(name, "must be a number from 0 to 2");
    into = value;
  }

  void flag(const char* name, bool& into) {
    const Json* member = find(name);
    if (member == nullptr) return;
    if (!member->is_boolean()) return fail(name, "must be true or false");
    into = member->get<bool>();
  }

  void fail(const char* name, std::string_view reason) {
    if (!error_) error_ = model::invalid_argument(name, std::string(name) + " " + std::string(reason));
  }

  const std::optional<model::Error>& error() const { return error_; }

 private:
  const Json& object_;
  std::optional<model::Error> error_;
};

}  // namespace

ports::CompletionRequest CompletionBody::request() const {
  ports::CompletionRequest request;
  request.prompt = prompt;
  if (model) request.model = *model;
  request.max_tokens = max_tokens;
  request.temperature = temperature;
  request.stream = stream;
  return request;
}

std::variant<CompletionBody, Problem> parse_completion_body(std::string_view text) {
  const auto parsed = parse_document(text);
  if (const Problem* const problem = std::get_if<Problem>(&parsed)) return *problem;
  const Json& document = std::get<Json>(parsed);
  if (!document.is_object()) return invalid_body("The body is JSON, but no object.");

  CompletionBody body;
  MemberReader members(document);
  std::optional<std::string> prompt;
  members.text("prompt", prompt);
  if (!prompt || prompt->empty()) members.fail("prompt", "is required and must not be empty");
  members.text("model", body.model);
  members.count("max_tokens", body.max_tokens);
  members.temperature("temperature", body.temperature);
  members.flag("stream", body.stream);
  if (members.error()) return problem_of(*members.error(), Upstream::No);
  body.prompt = *std::move(prompt);
  return body;
}

}  // namespace kbase::http
