// SPDX-License-Identifier: Apache-2.0
// The functions of the tables whose form is too special for ports/definitions/generate.py.
#include <array>
#include <vector>

#include "plugins/sdk/entry.hpp"
#include "plugins/sdk/generated/bindings.hpp"

namespace kbase::sdk {
namespace {

/// Most calls have one request: servers batch only for networked stores.
constexpr std::size_t kFewRequests = 4;
constexpr std::uint64_t kMaxCost = std::numeric_limits<std::uint32_t>::max();

kb_status cost_is_too_large(kb_call* call) noexcept {
  return failed(call, Error{ErrorCode::Unsupported, "The rate limiter counts in 32 bits."});
}

/// An array that is on the stack if it is small.
template <class T> class FewOrMany {
 public:
  explicit FewOrMany(std::size_t count) {
    if (count > kFewRequests) many_.resize(count);
    elements_ = {count > kFewRequests ? many_.data() : few_.data(), count};
  }
  FewOrMany(const FewOrMany&) = delete;
  FewOrMany& operator=(const FewOrMany&) = delete;

  T& operator[](std::size_t at) noexcept { return elements_[at]; }
  std::span<T> all() noexcept { return elements_; }

 private:
  std::array<T, kFewRequests> few_{};
  std::vector<T> many_;
  std::span<T> elements_;
};

void pass_facets(const kb_search_request& request, void* data, const ports::Facets& facets) {
  for (std::size_t i = 0; i < ports::kFacets.size(); ++i)
    for (const ports::FacetValue& each : facets.*ports::kFacets[i].values)
      request.facet(data, static_cast<std::int32_t>(i), view_of(each.value), each.items);
}

/// Passes the results of a look-up to a C sink.
class UserToC final : public ports::UserVisitor {
 public:
  explicit UserToC(const kb_code_host_sink& sink) noexcept : sink_(sink) {}

  Visit profile(const ports::UserProfile& profile) override {
    return pass(sink_.profile, &to_c_.clear().row<kb_profile>(profile));
  }
  Visit repository(const ports::Repository& repository) override {
    return pass(sink_.repository, &to_c_.clear().row<kb_repository>(repository));
  }
  Visit contributions(const ports::Contributions& contributions) override {
    return pass(sink_.contributions, &to_c_.clear().row<kb_contributions>(contributions));
  }
  Visit contribution_day(model::Day day, std::uint64_t count) override {
    return pass(sink_.contribution_day, number_of(day), count);
  }
  Visit language(std::string_view name, double share) override { return pass(sink_.language, view_of(name), share); }

  bool stopped() const noexcept { return stopped_; }

 private:
  template <class Member, class... Row> Visit pass(Member member, const Row&... row) {
    if (!stopped_) stopped_ = member(sink_.data, row...) != 0;
    return stopped_ ? Visit::Stop : Visit::Continue;
  }

  const kb_code_host_sink& sink_;
  ToC to_c_;
  bool stopped_ = false;
};

}  // namespace

kb_status activity_store_snapshot(kb_activity_store* store, kb_call* call, kb_journal_mark_sink journals,
                                  kb_view_count_sink counts, void* data) noexcept {
  return guarded(call, [&](ports::Call& inner) {
    RowsToC<kb_journal_mark, ports::JournalMark, kb_journal_mark_sink> marks(journals, data);
    RowsToC<kb_view_count, ports::ViewIncrement, kb_view_count_sink> rows(counts, data);
    const auto status = port_of<ports::ActivityStore>(store).snapshot(inner, marks, rows);
    return marks.stopped() ? to_status(call, status, marks) : to_status(call, status, rows);
  });
}

kb_view search_index_fingerprint(kb_search_index* index) noexcept {
  return view_of(port_of<ports::SearchIndex>(index).fingerprint());
}

kb_status search_index_search(kb_search_index* index, kb_call* call, const kb_search_request* request, kb_hit_sink sink,
                              kb_correction_sink correction, void* data, kb_search_answer* answer) noexcept {
  return guarded(call, [&](ports::Call& inner) {
    FromC from_c;
    const auto wanted = from_c.row<ports::SearchRequest>(*request);
    if (from_c.violation() != nullptr) return failed(call, from_c.violation());
    RowsToC<kb_hit, ports::SearchHit, kb_hit_sink> hits(sink, data);
    const auto result = port_of<ports::SearchIndex>(index).search(inner, wanted, hits);
    if (!result) return failed(call, result.error());
    for (const ports::Correction& word : result->corrections)
      correction(data, view_of(word.word), view_of(word.replacement));
    pass_facets(*request, data, result->facets);
    to_status(call, result, answer);
    return hits.stopped() ? kb_status{KB_STOPPED} : kb_status{KB_OK};
  });
}

kb_status rate_limit_store_take(kb_rate_limit_store* store, kb_call* call, const kb_take* const* takes,
                                kb_taken* const* taken, std::size_t count) noexcept {
  return guarded(call, [&](ports::Call& inner) {
    FewOrMany<ports::AcquireRequest> requests(count);
    FewOrMany<ports::Decision> decisions(count);
    FewOrMany<const ports::AcquireRequest*> request_pointers(count);
    FewOrMany<ports::Decision*> decision_pointers(count);
    for (std::size_t i = 0; i < count; ++i) {
      if (takes[i]->cost > kMaxCost) return cost_is_too_large(call);
      requests[i] = from_c(*takes[i]);
      request_pointers[i] = &requests[i];
      decision_pointers[i] = &decisions[i];
    }
    const Status status =
        port_of<ports::RateLimitStore>(store).acquire(inner, request_pointers.all(), decision_pointers.all());
    if (!status) return failed(call, status.error());
    for (std::size_t i = 0; i < count; ++i) {
      kb_taken row;
      ToC().fill(row, decisions[i]);
      fill_in(row, *taken[i]);
    }
    return kb_status{KB_OK};
  });
}

kb_status rate_limit_store_settle(kb_rate_limit_store* store, kb_call* call, const kb_take* take, const kb_taken* taken,
                                  std::uint64_t used) noexcept {
  return guarded(call, [&](ports::Call& inner) {
    if (take->cost > kMaxCost || used > kMaxCost) return cost_is_too_large(call);
    const auto decision = FromC().row<ports::Decision>(*taken);
    return to_status(call, port_of<ports::RateLimitStore>(store).adjust(inner, from_c(*take), decision,
                                                                        static_cast<std::uint32_t>(used)));
  });
}

std::int32_t code_host_is_username(kb_code_host* code_host, kb_view username) noexcept {
  return port_of<ports::CodeHost>(code_host).is_username(text_of(username)) ? 1 : 0;
}

kb_status code_host_look_up(kb_code_host* code_host, kb_call* call, kb_view username, kb_view validator,
                            const kb_code_host_sink* sink, std::int32_t* unchanged) noexcept {
  return guarded(call, [&](ports::Call& inner) -> kb_status {
    UserToC visitor(*sink);
    const auto found =
        port_of<ports::CodeHost>(code_host).look_up(inner, text_of(username), text_of(validator), visitor);
    if (visitor.stopped() && (found || found.error().code == ErrorCode::Cancelled)) return KB_STOPPED;
    if (!found && found.error().code == ErrorCode::NotFound) return KB_NOT_FOUND;
    if (!found) return failed(call, found.error());
    *unchanged = found->outcome == ports::LookUp::Outcome::Unchanged ? 1 : 0;
    if (*unchanged == 0 && !found->validator.empty()) sink->validator(sink->data, view_of(found->validator));
    return KB_OK;
  });
}

kb_status language_model_complete(kb_language_model* model, kb_call* call, const kb_completion_request* request,
                                  kb_text_sink text, kb_completion_sink completion, void* data) noexcept {
  return guarded(call, [&](ports::Call& inner) -> kb_status {
    FromC from_c;
    RowsToC<std::tuple<kb_view>, std::string_view, kb_text_sink> pieces(text, data);
    const auto ended =
        port_of<ports::LanguageModel>(model).complete(inner, from_c.row<ports::Prompt>(*request), pieces);
    if (!ended) return to_status(call, Status(ended.error()), pieces);
    ToC to_c;
    completion(data, &to_c.row<kb_completion>(*ended));
    return KB_OK;
  });
}

}  // namespace kbase::sdk
