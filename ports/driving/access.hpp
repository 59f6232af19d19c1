// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "domain/model/api_key.hpp"
#include "domain/model/plan.hpp"
#include "domain/model/result.hpp"
#include "ports/driven/call.hpp"
#include "ports/driven/rate_limit_store.hpp"

namespace kbase::ports {

/// Who asks.
struct Client {
  std::string_view address;  ///< in canonical form: IPv4 whole, IPv6 as its /64
  /// The text after "Bearer", where the request had an Authorization field at all. A field of another scheme is a
  /// credential that is no key.
  std::optional<std::string_view> credential = {};
  std::string_view network = {};  ///< the one the address is in, IPv4 by /24, IPv6 by /48
  std::string_view origin = {};   ///< of the web page that asks, as its browser says; empty: it is none
};

/// The outcome of letting a request in, and the figures that its answer's headers show.
struct Admission {
  enum class Verdict {
    Admitted,
    Limited,       ///< a window has nothing left: 429, whatever else is wrong with the request
    BadKey,        ///< the credential is no good key; charged to the address
    KeyUnchecked,  ///< the key store did not answer
    Unavailable,   ///< the rate limiter did not answer, and the configuration or the take says to deny then
  };

  Verdict verdict = Verdict::Admitted;
  bool has_key = false;  ///< a good key was given
  std::string key_id;    ///< its id
  model::Scopes scopes = model::kAllScopes;
  model::Plan plan;                          ///< whose limits apply; without a good key the public one or the page's
  std::optional<model::ClientId> client_id;  ///< whom the rate limiter counts; nullopt: nobody was asked about
  Decision decision;
  /// Of KeyUnchecked and Unavailable: when the store that did not answer may be back; 0: unknown.
  std::chrono::milliseconds retry_after{0};
};

/// Keys, plans and the rate limiter, for each request. Any thread.
class Access {
 public:
  virtual ~Access() = default;

  /// Identifies the client and takes one request from its windows, or only looks (Peek). With Peek a bad key is no
  /// refusal, nor is one that a slow key store says nothing of: the figures are the address's.
  virtual Admission admit(Call& call, const Client& client, AcquireRequest::Mode mode) = 0;

  /// The figures for an answer that charges nothing and asks no store: the last that `admit` gave this client, as far
  /// as they are remembered, else the full limits of its plan.
  virtual Admission unasked(const Client& client) const = 0;

  /// Whether `admit` never blocks for a client of this credential: the rate limiter does not, nor does the key store
  /// where it is asked at all.
  virtual bool is_inline(std::optional<std::string_view> credential) const = 0;
};

}  // namespace kbase::ports
