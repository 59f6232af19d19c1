// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/sdk/translation.hpp"
#include "ports/driven/item_store.hpp"
#include "ports/driven/search_index.hpp"

/// The rules for a row that concern several of its members, or several rows of one call. sdk::FromC checks each member.
namespace kbase::plugin_host {

/// Returns the violation, or null.
template <class Value>
struct RowCheck {
  sdk::Violation operator()(const Value&) const noexcept { return nullptr; }
};

template <>
class RowCheck<ports::Change> {
 public:
  sdk::Violation operator()(const ports::Change& change) noexcept;

 private:
  model::Revision last_ = 0;
};

template <>
struct RowCheck<ports::SearchHit> {
  sdk::Violation operator()(const ports::SearchHit& hit) const noexcept;
};

}  // namespace kbase::plugin_host
