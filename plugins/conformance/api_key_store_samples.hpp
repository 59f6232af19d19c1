// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "plugins/conformance/suites.hpp"

namespace kbase::conformance {

inline constexpr model::Instant kCreated =
    std::chrono::sys_days(std::chrono::year(2026) / 3 / 14) + std::chrono::milliseconds(45'296'789);

/// Returns a digest with many byte values, including 0 and 255.
inline model::KeyDigest digest_of(std::uint8_t seed) {
  model::KeyDigest digest{};
  for (std::size_t i = 0; i < digest.size(); ++i) digest[i] = static_cast<std::uint8_t>(seed + i * 41);
  digest[3] = 0;
  digest[4] = 255;
  return digest;
}

inline model::ApiKey key_of(std::string_view id, std::uint8_t seed) {
  model::ApiKey key;
  key.id = id;
  key.name = "A name";
  key.plan = "developer";
  key.digest = digest_of(seed);
  key.created = kCreated;
  return key;
}

inline constexpr std::string_view kNoAccounts = "the store keeps no accounts by declaration";

template <class Value>
void expect_missing(const Result<std::optional<Value>>& found, std::string_view rule, Report& report,
                    SourceLine where = SourceLine::current()) {
  if (report.ok(found, rule, where)) report.expect(!found->has_value(), rule, "there was one", where);
}

inline std::uint64_t revision_of(ports::ApiKeyStore& store) {
  ports::Call call;
  const auto revision = store.revision(call);
  return revision ? *revision : ~std::uint64_t{0};
}

}  // namespace kbase::conformance
