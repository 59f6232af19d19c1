// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <unordered_set>

#include "adapters/web/fetcher.hpp"
#include "adapters/web/robots.hpp"
#include "adapters/web/web_address.hpp"
#include "domain/base/result.hpp"
#include "ports/driven/call.hpp"

namespace kbase::web {

/// The result of a request for a page: a response, or why there is no response. Only a defect makes the record bad.
struct Fetched {
  Response response;
  Address address;      ///< after redirects
  std::string defect;   ///< why the page cannot be read
  std::string skipped;  ///< why the page is not read, as the summary counts it
};

/// The pages of one origin, as its robots.txt allows them. Asks for no address twice. Not thread-safe.
class Site {
 public:
  /// `fetcher` must outlive the object.
  Site(Fetcher& fetcher, std::string origin) : fetcher_(fetcher), origin_(std::move(origin)) {}

  /// Reads robots.txt. A site without one allows everything. InvalidArgument: the site fails to say what it allows, so
  /// it allows nothing (RFC 9309, section 2.3.1).
  Status read_robots(ports::Call& call);
  const Robots& robots() const { return robots_; }

  /// Asks for a page and follows its redirects within the origin. Error: Cancelled.
  Result<Fetched> fetch(ports::Call& call, Address address);

 private:
  Fetcher& fetcher_;
  const std::string origin_;
  Robots robots_;
  std::unordered_set<std::string> asked_;
};

}  // namespace kbase::web
