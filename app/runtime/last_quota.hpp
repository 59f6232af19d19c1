// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "ports/driven/clock.hpp"
#include "ports/driven/random.hpp"
#include "ports/driving/access.hpp"

namespace kbase::runtime {

/// Remembers each client's last reported quota, for responses that must not query a store (docs/guide/rate-limits.md).
/// A table of fixed size in which a new client overwrites the previous one in its slot, so it neither grows nor
/// allocates. A client without an entry is shown full limits. Thread-safe.
class LastQuota final : public ports::Access {
 public:
  /// `access` and `clock` must outlive this object.
  LastQuota(ports::Access& access, const ports::Clock& clock, ports::Random& random);

  ports::Admission admit(ports::Call& call, const ports::Client& client, ports::AcquireRequest::Mode mode) override;
  ports::Admission unasked(const ports::Client& client) const override;
  bool is_inline(std::optional<std::string_view> credential) const override { return access_.is_inline(credential); }

 private:
  static constexpr std::size_t kShards = 64;
  static constexpr std::size_t kPlacesPerShard = 64;

  /// Seeded 128-bit hash of a key's text or an address; the text itself is not kept.
  struct Whom {
    std::uint64_t high = 0;
    std::uint64_t low = 0;
    bool operator==(const Whom&) const = default;
  };
  struct Stats {
    Whom whom;
    model::ClientId client_id{};
    model::Limits limits;
    model::WindowState minute;
    model::WindowState day;
    bool has_key = false;
  };
  struct alignas(64) Shard {
    std::mutex mutex;
    std::array<Stats, kPlacesPerShard> places;
  };

  Whom whom(std::string_view text) const noexcept;
  void remember(const ports::Client& client, const ports::Admission& admission);
  std::optional<ports::Admission> recall(std::string_view text) const;

  ports::Access& access_;
  const ports::Clock& clock_;
  std::uint64_t seed_ = 0;
  mutable std::vector<Shard> shards_{kShards};
};

}  // namespace kbase::runtime
