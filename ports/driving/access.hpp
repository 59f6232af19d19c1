// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "domain/base/function_ref.hpp"
#include "domain/base/result.hpp"
#include "domain/model/api_key.hpp"
#include "ports/driven/api_key_store.hpp"
#include "ports/driven/call.hpp"
#include "ports/driven/rate_limit_store.hpp"

namespace kbase::ports {

/// Identity of a client, as far as the request contains it.
struct Client {
  std::string_view address;  ///< in canonical form: IPv4 complete, IPv6 as its /64
  /// The text after "Bearer"; nullopt: the request has no Authorization field. A field with another scheme counts as an
  /// invalid key.
  std::optional<std::string_view> credential = {};
  std::string_view network = {};  ///< network of the address: IPv4 /24, IPv6 /48
  std::string_view origin = {};   ///< origin of the requesting web page, as sent by the browser; empty: not a web page
  bool is_visitor = false;        ///< reads the pages of the site; counts for itself, by the plan `visitor`
};

/// The admission decision, and the values for the response's rate-limit headers.
struct Admission {
  enum class Verdict {
    Admitted,
    Limited,       ///< a window is exhausted: 429, whatever else is wrong with the request
    BadKey,        ///< the credential is not a valid key; charged to the address
    KeyUnchecked,  ///< the key store did not respond
    Unavailable,   ///< the rate limiter did not respond, and the configuration or the request's mode requires denial
                   ///< then
  };

  Verdict verdict = Verdict::Admitted;
  bool has_key = false;  ///< a valid key was given
  std::string key_id;    ///< id of that key
  model::Scopes scopes = model::kDefaultScopes;
  model::Plan plan;                          ///< plan whose limits apply; without a valid key the public plan or the
                                             ///< plan of the page's origin
  std::optional<model::ClientId> client_id;  ///< the client that the rate limiter counts; nullopt: the rate limiter was
                                             ///< not called
  Decision decision;
  /// Set for KeyUnchecked and Unavailable: when the store that did not respond may be available again. 0: unknown.
  std::chrono::milliseconds retry_after{0};
};

/// Checks keys, plans and rate limits for each request. Any thread.
class Access {
 public:
  virtual ~Access() = default;

  /// Identifies the client and charges one request, or only reads the windows (Peek). A Peek is admitted even with an
  /// invalid key or a slow key store; the returned windows are then those of the address.
  virtual Admission admit(Call& call, const Client& client, AcquireRequest::Mode mode) = 0;

  /// Returns the header values for a response that charges nothing and queries no store: the last ones that `admit`
  /// returned for this client if they are cached, else the full limits of its plan.
  virtual Admission admission_without_charge(const Client& client) const = 0;

  /// Whether `admit` never blocks for this credential: neither the rate limiter nor, if it is needed, the key store
  /// blocks.
  virtual bool is_inline(std::optional<std::string_view> credential) const = 0;
};

struct NewKey {
  std::string_view name;
  std::string_view plan;
  std::optional<model::Instant> expires = {};
  model::Scopes scopes = model::kDefaultScopes;
  std::string_view account = {};  ///< id of the account that owns it; empty: none
  bool suspended = false;         ///< see model::ApiKey
};

/// Changes to a key. Absent members remain unchanged.
struct KeyChange {
  std::optional<std::string> name;
  std::optional<std::string> plan;
  std::optional<std::optional<model::Instant>> expires;  ///< nullopt inside: the key never expires
  std::optional<model::Scopes> scopes;
};

/// A key and its text, which is shown only once and never stored.
struct IssuedKey {
  model::ApiKey key;
  std::string text;
};

/// Administration of API keys. NotFound: there is no key with this id. InvalidArgument: an unknown plan,
/// an invalid name, a past expiry, or the rotation of a revoked or expired key.
class KeyAdministration {
 public:
  virtual ~KeyAdministration() = default;
  virtual Result<IssuedKey> create(Call& call, const NewKey& key) = 0;
  virtual Status list(Call& call, Visitor<model::ApiKey> visitor) = 0;
  /// False: the key was revoked before.
  virtual Result<bool> revoke(Call& call, std::string_view id) = 0;
  /// Replaces the text of a key. The old text stays valid for `grace`.
  virtual Result<IssuedKey> rotate(Call& call, std::string_view id, std::chrono::seconds grace) = 0;
  virtual Result<model::ApiKey> update(Call& call, std::string_view id, const KeyChange& change) = 0;
  /// Visits the requests made with keys, see ApiKeyStore::usage.
  virtual Status usage(Call& call, model::Day first, model::Day last, Visitor<KeyUsage> visitor) = 0;
  /// Returns the last day with requests of the key, see ApiKeyStore::last_used.
  virtual Result<std::optional<model::Day>> last_used(Call& call, std::string_view id) = 0;
};

}  // namespace kbase::ports
