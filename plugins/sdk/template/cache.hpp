// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "ports/driven/cache.hpp"
#include "ports/driven/clock.hpp"

namespace mycache {

/// A cache in the memory of this process. Beyond `max_bytes` it evicts the least recently used values. The contract of
/// each function, including edge cases, is in ports/driven/cache.hpp.
class MyCache final : public kbase::ports::Cache {
 public:
  MyCache(const kbase::ports::Clock& clock, std::size_t max_bytes) : clock_(clock), max_bytes_(max_bytes) {}

  kbase::Result<bool> get(kbase::ports::Call& call, std::string_view key,
                          kbase::Visitor<std::string_view> visitor) override;
  kbase::Status put(kbase::ports::Call& call, std::string_view key, std::string_view value,
                    std::chrono::milliseconds time_to_live) override;
  kbase::Status erase(kbase::ports::Call& call, std::string_view key) override;
  kbase::Status health(kbase::ports::Call& call) override;

 private:
  struct Entry {
    std::string key;
    std::shared_ptr<const std::string> value;  // shared with running visitors
    std::chrono::steady_clock::time_point expires;
  };
  using Entries = std::list<Entry>;  // most recently used first

  void forget(std::string_view key);

  const kbase::ports::Clock& clock_;
  const std::size_t max_bytes_;
  std::mutex mutex_;
  Entries entries_;
  std::unordered_map<std::string_view, Entries::iterator> by_key_;  // the keys are views into entries_
  std::size_t bytes_ = 0;
};

}  // namespace mycache
