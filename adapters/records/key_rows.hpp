// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>

#include "domain/model/api_key.hpp"

/// Conversion of SQL rows to model types, shared by all databases whose tables have these columns in this order. A
/// `Row` returns the values of its columns, counted from 0, by text(), integer(), instant(), bytes() and is_null().
namespace kbase::records {

template <class Row>
std::optional<model::KeyDigest> digest_in(const Row& row, int column) {
  const auto stored = row.bytes(column);
  model::KeyDigest digest{};
  if (stored.size() != digest.size()) return std::nullopt;
  std::copy(stored.begin(), stored.end(), digest.begin());
  return digest;
}

/// Returns nullopt if the row is damaged.
template <class Row>
std::optional<model::ApiKey> read_key(const Row& row) {
  const auto digest = digest_in(row, 3);
  if (!digest) return std::nullopt;
  model::ApiKey key;
  key.id = row.text(0);
  key.name = row.text(1);
  key.plan = row.text(2);
  key.digest = *digest;
  key.previous_digest = digest_in(row, 4);
  key.previous_expires = row.instant(5);
  if (!row.is_null(6)) key.expires = row.instant(6);
  key.scopes = static_cast<model::Scopes>(row.integer(7));
  key.created = row.instant(8);
  key.revoked = row.integer(9) != 0;
  return key;
}

}  // namespace kbase::records
