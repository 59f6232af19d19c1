// SPDX-License-Identifier: Apache-2.0
#include "domain/usecases/admit_request.hpp"

#include <algorithm>

namespace kbase::usecases {
namespace {

/// Key lookup timeout for requests that are not charged, so that /health stays fast when the key store hangs.
constexpr std::chrono::milliseconds kPeekPatience{500};

}  // namespace

ports::Admission AdmitRequest::admit(ports::Call& call, const ports::Client& client, ports::AcquireRequest::Mode mode) {
  using Verdict = ports::Admission::Verdict;
  ports::Admission admission = keyless_admission(client.credential ? std::string_view() : client.origin);
  const bool is_charge = mode != ports::AcquireRequest::Mode::Peek;
  ports::Call look_up = call;
  if (!is_charge) look_up.deadline = std::min(call.deadline, parts_.clock.steady() + kPeekPatience);
  const KeyVerdict key = identify(look_up, client, admission);
  if (key == KeyVerdict::Unchecked && is_charge) {
    admission.verdict = Verdict::KeyUnchecked;
    return admission;
  }

  ports::AcquireRequest request;
  request.mode = mode;
  request.limits = admission.plan.limits;
  if (!admission.has_key) {
    admission.client_id = client_id_of("address", client.address);
    if (!client.network.empty()) request.fallback_bucket = client_id_of("network", client.network);
  }
  request.client_id = *admission.client_id;

  const ports::AcquireRequest* const requests[] = {&request};
  ports::Decision* const decisions[] = {&admission.decision};
  if (const auto asked = parts_.rate_limiter.acquire(call, requests, decisions); !asked) {
    admission.decision = ports::untouched(request.limits, parts_.clock.now());
    admission.verdict = is_charge ? Verdict::Unavailable : Verdict::Admitted;
    admission.retry_after = asked.error().retry_after;
  } else if (is_charge && !admission.decision.allowed) {
    admission.verdict = Verdict::Limited;
  } else if (is_charge && key == KeyVerdict::Bad) {
    admission.verdict = Verdict::BadKey;
  }
  return admission;
}

ports::Admission AdmitRequest::unasked(const ports::Client& client) const {
  ports::Admission admission = keyless_admission(client.credential ? std::string_view() : client.origin);
  admission.client_id = client_id_of("address", client.address);
  return admission;
}

bool AdmitRequest::is_inline(std::optional<std::string_view> credential) const {
  if (!parts_.rate_limiter.capabilities().inline_calls) return false;
  return parts_.keys.has_inline_reads() || !credential || !model::is_key_text(*credential);
}

/// The admission of a client without a key that has made no request.
ports::Admission AdmitRequest::keyless_admission(std::string_view origin) const {
  ports::Admission admission;
  const auto of_page = origin.empty() ? std::nullopt : parts_.plans.of_origin(origin);
  admission.plan = plan_named(of_page ? std::string_view(*of_page) : model::kPublicPlan);
  admission.decision = ports::untouched(admission.plan.limits, parts_.clock.now());
  return admission;
}

/// Sets the members of `admission` that depend on the key, if the credential is a valid key.
AdmitRequest::KeyVerdict AdmitRequest::identify(ports::Call& call, const ports::Client& client,
                                                ports::Admission& admission) const {
  if (!client.credential) return KeyVerdict::None;
  if (!model::is_key_text(*client.credential)) return KeyVerdict::Bad;
  const model::KeyDigest digest = parts_.digest.sha256(*client.credential);
  const auto key = parts_.keys.find(call, digest);
  if (!key) {
    admission.retry_after = key.error().retry_after;
    return KeyVerdict::Unchecked;
  }
  if (!*key || !model::is_good(**key, digest, parts_.clock.now())) return KeyVerdict::Bad;
  admission.has_key = true;
  admission.key_id = (*key)->id;
  admission.scopes = (*key)->scopes;
  admission.plan = plan_named((*key)->plan);
  admission.client_id = client_id_of("key", (*key)->id);
  return KeyVerdict::Good;
}

/// If the configuration no longer contains the plan, its keys get the public limits.
model::Plan AdmitRequest::plan_named(std::string_view name) const {
  if (auto plan = parts_.plans.find(name)) return *std::move(plan);
  return parts_.plans.find(model::kPublicPlan).value_or(model::Plan{});
}

/// `kind` prevents a key whose id looks like an address from sharing the address's counts.
model::ClientId AdmitRequest::client_id_of(std::string_view kind, std::string_view name) const {
  const auto hash = parts_.digest.sha256(std::string(kind) + ':' + std::string(name));
  model::ClientId client_id;
  std::copy_n(hash.begin(), client_id.size(), client_id.begin());
  return client_id;
}

}  // namespace kbase::usecases
