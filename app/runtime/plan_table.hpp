// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ports/driven/plan_book.hpp"

namespace kbase::runtime {

/// The configured plans, replaced as a whole by a reload. Thread-safe.
class PlanTable final : public ports::PlanBook {
 public:
  explicit PlanTable(std::vector<model::Plan> plans, std::vector<model::OriginPlan> origins = {})
      : plans_(std::move(plans)), origins_(std::move(origins)) {}

  std::optional<model::Plan> find(std::string_view name) const override {
    const std::lock_guard lock(mutex_);
    for (const model::Plan& plan : plans_)
      if (plan.name == name) return plan;
    return std::nullopt;
  }

  std::vector<std::string> names() const override {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> names;
    for (const model::Plan& plan : plans_) names.push_back(plan.name);
    return names;
  }

  std::optional<std::string> of_origin(std::string_view origin) const override {
    const std::lock_guard lock(mutex_);
    for (const model::OriginPlan& known : origins_)
      if (known.origin == origin) return known.plan;
    return std::nullopt;
  }

  void replace(std::vector<model::Plan> plans, std::vector<model::OriginPlan> origins) {
    const std::lock_guard lock(mutex_);
    plans_ = std::move(plans);
    origins_ = std::move(origins);
  }

 private:
  mutable std::mutex mutex_;
  std::vector<model::Plan> plans_;
  std::vector<model::OriginPlan> origins_;
};

}  // namespace kbase::runtime
