// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "adapters/code_host/calls.hpp"
#include "domain/model/day.hpp"

namespace kbase::code_host {

/// The calls whose responses determine the result of a look-up, and the validator made from them: a line with the day,
/// then a line for each call with the tag of its response and its path. A validator is valid only on its UTC day,
/// because the period of the contributions changes with the day. Not thread-safe.
class Inquiry {
 public:
  /// `calls` must outlive this object.
  Inquiry(Calls& calls, model::Day today) : calls_(calls), today_(today) {}

  /// Repeats the calls from which `validator` was made. Returns true if all responses are the same. `known` are the
  /// requests that need more than a path. Afterwards ask() returns the new responses without a call. Returns false
  /// without a call if the validator is malformed, is of another day, or would leave too few calls to continue.
  model::Result<bool> is_unchanged(std::string_view validator, std::span<const Request> known);

  /// A request whose response is part of the validator. It is in progress, or is_unchanged() got its response.
  class Ask {
   public:
    const Request& request() const noexcept { return request_; }
    /// Waits for the response. Call it only once.
    model::Result<Answer> read();

   private:
    friend class Inquiry;
    using Source = std::variant<model::Result<Pending>, Answer>;
    Ask(Inquiry& inquiry, Request request, Source source)
        : inquiry_(&inquiry), request_(std::move(request)), source_(std::move(source)) {}

    Inquiry* inquiry_;
    Request request_;
    Source source_;
  };

  /// Starts a request without waiting. read() returns its errors.
  Ask ask(Request request);

  Calls& calls() noexcept { return calls_; }
  model::Day today() const noexcept { return today_; }

  /// Returns the validator of all responses that were read; empty: it would be longer than the port allows.
  std::string validator() const;

 private:
  struct Tagged {
    std::string tag;
    std::string path;
  };
  Answer note(const Request& request, Answer answer);
  std::vector<Tagged> parse(std::string_view validator, std::span<const Request> known) const;
  model::Result<std::vector<Pending>> ask_again(const std::vector<Tagged>& before, std::span<const Request> known);

  Calls& calls_;
  const model::Day today_;
  std::vector<Tagged> read_;
  std::map<std::string, Answer> answered_;
};

}  // namespace kbase::code_host
