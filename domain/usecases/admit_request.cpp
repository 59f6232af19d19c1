// SPDX-License-Identifier: Apache-2.0
#include "domain/usecases/admit_request.hpp"

#include <algorithm>

#include "domain/usecases/client_ids.hpp"

namespace kbase::usecases {
namespace {

/// Key lookup timeout for requests that are not charged, so that /health stays fast when the key store hangs.
constexpr std::chrono::milliseconds kPeekTimeout{500};

/// A request with a key, even an invalid one, counts as that of a program.
bool counts_as_visitor(const ports::Client& client) { return client.is_visitor && !client.credential; }

}  // namespace

ports::Admission AdmitRequest::admit(ports::Call& call, const ports::Client& client, ports::AcquireRequest::Mode mode) {
  using Verdict = ports::Admission::Verdict;
  ports::Admission admission = keyless_admission(client);
  const bool is_charge = mode != ports::AcquireRequest::Mode::Peek;
  ports::Call look_up = call;
  if (!is_charge) look_up.deadline = std::min(call.deadline, deps_.clock.steady() + kPeekTimeout);
  const KeyVerdict key = identify(look_up, client, admission);
  if (key == KeyVerdict::Unchecked && is_charge) {
    admission.verdict = Verdict::KeyUnchecked;
    return admission;
  }

  ports::AcquireRequest request;
  request.mode = mode;
  request.limits = admission.plan.limits;
  if (!admission.has_key) {
    admission.client_id = client_id_of(deps_.digest, counts_as_visitor(client) ? "visitor" : "address", client.address);
    if (!client.network.empty()) request.fallback_bucket = client_id_of(deps_.digest, "network", client.network);
  }
  request.client_id = *admission.client_id;

  const ports::AcquireRequest* const requests[] = {&request};
  ports::Decision* const decisions[] = {&admission.decision};
  if (const auto acquired = deps_.rate_limiter.acquire(call, requests, decisions); !acquired) {
    admission.decision = ports::untouched(request.limits, deps_.clock.now());
    admission.verdict = is_charge ? Verdict::Unavailable : Verdict::Admitted;
    admission.retry_after = acquired.error().retry_after;
  } else if (is_charge && !admission.decision.allowed) {
    admission.verdict = Verdict::Limited;
  } else if (is_charge && key == KeyVerdict::Invalid) {
    admission.verdict = Verdict::BadKey;
  }
  return admission;
}

ports::Admission AdmitRequest::admission_without_charge(const ports::Client& client) const {
  ports::Admission admission = keyless_admission(client);
  admission.client_id = client_id_of(deps_.digest, counts_as_visitor(client) ? "visitor" : "address", client.address);
  return admission;
}

bool AdmitRequest::is_inline(std::optional<std::string_view> credential) const {
  if (!deps_.rate_limiter.capabilities().inline_calls) return false;
  return deps_.keys.has_inline_reads() || !credential || !model::is_key_text(*credential);
}

/// The admission of a client without a key that has made no request.
ports::Admission AdmitRequest::keyless_admission(const ports::Client& client) const {
  ports::Admission admission;
  const bool has_origin = !client.credential && !client.origin.empty();
  const auto origin_plan = has_origin ? deps_.plans.find_by_origin(client.origin) : std::nullopt;
  admission.plan = find_plan(origin_plan                 ? std::string_view(*origin_plan)
                             : counts_as_visitor(client) ? model::kVisitorPlan
                                                         : model::kPublicPlan);
  admission.decision = ports::untouched(admission.plan.limits, deps_.clock.now());
  return admission;
}

/// Sets the members of `admission` that depend on the key, if the credential is a valid key.
AdmitRequest::KeyVerdict AdmitRequest::identify(ports::Call& call, const ports::Client& client,
                                                ports::Admission& admission) const {
  if (!client.credential) return KeyVerdict::None;
  if (!model::is_key_text(*client.credential)) return KeyVerdict::Invalid;
  const model::KeyDigest digest = deps_.digest.sha256(*client.credential);
  const auto key = deps_.keys.find(call, digest);
  if (!key) {
    admission.retry_after = key.error().retry_after;
    return KeyVerdict::Unchecked;
  }
  if (!*key || !model::authenticates(**key, digest, deps_.clock.now())) return KeyVerdict::Invalid;
  admission.has_key = true;
  admission.key_id = (*key)->id;
  admission.scopes = (*key)->scopes;
  admission.plan = find_plan((*key)->plan);
  admission.client_id = client_id_of_key(deps_.digest, (*key)->id);
  return KeyVerdict::Valid;
}

/// If the configuration no longer contains the plan, its keys get the public limits.
model::Plan AdmitRequest::find_plan(std::string_view name) const {
  if (auto plan = deps_.plans.find(name)) return *std::move(plan);
  return deps_.plans.find(model::kPublicPlan).value_or(model::Plan{});
}

}  // namespace kbase::usecases
