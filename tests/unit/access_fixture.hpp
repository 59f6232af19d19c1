// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ports/driven/crypto.hpp"
#include "ports/driven/server_state.hpp"

namespace kbase::tests {

/// Distinguishes texts like a digest: FNV-1a from 32 offsets. Not cryptographic.
class ToyDigest final : public ports::Digest {
 public:
  std::array<std::uint8_t, 32> sha256(std::string_view bytes) const override {
    std::array<std::uint8_t, 32> digest;
    for (std::size_t i = 0; i < digest.size(); ++i) {
      std::uint64_t hash = 14'695'981'039'346'656'037ULL + i;
      for (const char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * 1'099'511'628'211ULL;
      digest[i] = static_cast<std::uint8_t>(hash >> 32);
    }
    return digest;
  }
};

/// Plans of a configuration that a test sets.
class ConfiguredPlans final : public ports::PlanRegistry {
 public:
  std::optional<model::Plan> find(std::string_view name) const override {
    const auto found = limits.find(name);
    if (found == limits.end()) return std::nullopt;
    return model::Plan{found->first, found->second};
  }

  std::vector<std::string> names() const override {
    std::vector<std::string> names;
    for (const auto& [name, limit] : limits) names.push_back(name);
    return names;
  }

  std::optional<std::string> find_by_origin(std::string_view origin) const override {
    const auto found = origins.find(origin);
    return found == origins.end() ? std::nullopt : std::optional(found->second);
  }

  std::map<std::string, std::string, std::less<>> origins;
  std::map<std::string, model::Limits, std::less<>> limits = {
      {"public", {10, 1000}}, {"developer", {60, 10'000}}, {"premium", {300, 100'000}}};
};

}  // namespace kbase::tests
