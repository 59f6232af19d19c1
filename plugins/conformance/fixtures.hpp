// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "plugins/conformance/fake_upstream.hpp"
#include "plugins/conformance/manual_clock.hpp"
#include "ports/driven/activity_store.hpp"
#include "ports/driven/api_key_store.hpp"
#include "ports/driven/cache.hpp"
#include "ports/driven/code_host.hpp"
#include "ports/driven/item_store.hpp"
#include "ports/driven/rate_limit_store.hpp"
#include "ports/driven/search_index.hpp"

namespace kbase::conformance {

/// A new, empty instance of `Port` for one check, with a clock that the check controls.
template <class Port>
class Fixture {
 public:
  virtual ~Fixture() = default;

  virtual Port& port() = 0;

  /// Closes the instance and opens it again with its persistent data. False: the instance declares that it persists
  /// nothing, and port() is unchanged.
  virtual bool reopen() = 0;

  ManualClock clock;
  FakeUpstream upstream{clock};  ///< fake of the upstream service, for ports that use one
};

using ItemStoreFixture = Fixture<ports::ItemStore>;
using ActivityStoreFixture = Fixture<ports::ActivityStore>;
using ApiKeyStoreFixture = Fixture<ports::ApiKeyStore>;
using RateLimitStoreFixture = Fixture<ports::RateLimitStore>;
using CacheFixture = Fixture<ports::Cache>;
using CodeHostFixture = Fixture<ports::CodeHost>;
using SearchIndexFixture = Fixture<ports::SearchIndex>;

}  // namespace kbase::conformance
