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

/// The calls that decide what is told about a user, and the validator made of them: a line with the day, then one for
/// each call with the tag of its answer and its path. It holds for its UTC day, since on the next the contributions'
/// period is another. One thread.
class Inquiry {
 public:
  /// `calls` outlives it.
  Inquiry(Calls& calls, model::Day today) : calls_(calls), today_(today) {}

  /// Asks again for all that `validator` was made of; true: the answers are the same. `known` are the requests that are
  /// more than a path. Afterwards what was answered anew needs no further call. A validator that is not ours, is of
  /// another day, or would leave too few calls to go on, has changed without a call.
  model::Result<bool> is_unchanged(std::string_view validator, std::span<const Request> known);

  /// A request whose answer the validator depends on, under way or answered by is_unchanged().
  class Ask {
   public:
    const Request& request() const noexcept { return request_; }
    /// Once.
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

  /// Begins without waiting; what fails is said when it is read.
  Ask ask(Request request);

  Calls& calls() noexcept { return calls_; }
  model::Day today() const noexcept { return today_; }

  /// Of all that was read; empty where that is too much for one.
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
