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

/// A cache in this process's memory; past `max_bytes` those values go that were used longest ago. What each function
/// has to do, the dull cases too, stands in ports/driven/cache.hpp.
class MyCache final : public kbase::ports::Cache {
 public:
  MyCache(const kbase::ports::Clock& clock, std::size_t max_bytes) : clock_(clock), max_bytes_(max_bytes) {}

  kbase::model::Result<bool> get(kbase::ports::Call& call, std::string_view key,
                                 kbase::model::Visitor<std::string_view> visitor) override;
  kbase::model::Status put(kbase::ports::Call& call, std::string_view key, std::string_view value,
                           std::chrono::milliseconds time_to_live) override;
  kbase::model::Status erase(kbase::ports::Call& call, std::string_view key) override;
  kbase::model::Status health(kbase::ports::Call& call) override;

 private:
  struct Entry {
    std::string key;
    std::shared_ptr<const std::string> value;  // shared with whoever it is lent to
    std::chrono::steady_clock::time_point expires;
  };
  using Entries = std::list<Entry>;  // the last used first

  void forget(std::string_view key);

  const kbase::ports::Clock& clock_;
  const std::size_t max_bytes_;
  std::mutex mutex_;
  Entries entries_;
  std::unordered_map<std::string_view, Entries::iterator> by_key_;  // by the keys in entries_
  std::size_t bytes_ = 0;
};

}  // namespace mycache
