// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "adapters/templates/templates.hpp"
#include "domain/base/result.hpp"
#include "domain/model/day.hpp"
#include "ports/driving/insights.hpp"

namespace kbase::insight_page {

/// The page of an operator about what readers search for and say of items. Thread-safe.
class InsightPage {
 public:
  /// What the page says of itself.
  struct About {
    std::string site;
    std::uint32_t min_clients = 0;
  };

  /// `folder`: of the template insights.html. Errors: those of Templates::open(); Unsupported if it has no such file.
  static Result<InsightPage> open(const std::filesystem::path& folder, About about);

  /// Returns the page as HTML. Errors: those of the reports.
  Result<std::string> make(ports::Call& call, ports::InsightReports& reports, model::Instant now) const;

 private:
  InsightPage(Templates templates, About about) : templates_(std::move(templates)), about_(std::move(about)) {}

  Templates templates_;
  About about_;
};

}  // namespace kbase::insight_page
