// SPDX-License-Identifier: Apache-2.0
#include "app/runtime/counted_access.hpp"

#include <mutex>

namespace kbase::runtime {
namespace {

bool was_let_in(const ports::Admission& admission) {
  using Verdict = ports::Admission::Verdict;
  return admission.verdict == Verdict::Admitted || admission.verdict == Verdict::BadKey;
}

}  // namespace

ports::Admission CountedAccess::admit(ports::Call& call, const ports::Client& client,
                                      ports::AcquireRequest::Mode mode) {
  ports::Admission admission = parts_.access.admit(call, client, mode);
  if (mode == ports::AcquireRequest::Mode::Peek || !was_let_in(admission)) return admission;
  counters_of(admission.plan.name)[admission.has_key ? 1 : 0]->add();
  if (admission.has_key) parts_.usage.count(admission.key_id, model::day_of(parts_.clock.now()));
  return admission;
}

const CountedAccess::OfPlan& CountedAccess::counters_of(const std::string& plan) {
  {
    const std::shared_lock lock(mutex_);
    if (const auto known = by_plan_.find(plan); known != by_plan_.end()) return known->second;
  }
  const auto counter = [&](std::string_view client_kind) {
    return &parts_.metrics.counter("kbase_quota_requests_total",
                                   "Requests that were let in, by the plan whose limits they met.",
                                   {{"plan", plan}, {"client", client_kind}});
  };
  const OfPlan counters{counter("address"), counter("key")};
  const std::unique_lock lock(mutex_);
  return by_plan_.emplace(plan, counters).first->second;
}

}  // namespace kbase::runtime
