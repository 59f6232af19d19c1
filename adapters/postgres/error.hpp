// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "domain/model/error.hpp"

namespace kbase::postgres {

/// What PostgreSQL or libpq said.
struct Failure {
  std::string_view sqlstate;  ///< five characters (PostgreSQL's appendix A); empty: the connection failed
  std::string_view text;      ///< holds no password: libpq never puts one into its messages
  std::string_view server;    ///< "host:port"
};

/// The one place where SQLSTATE classes become the house's errors. Clients may see the message, which names no server;
/// the detail does.
model::Error error_of(const Failure& failure);

}  // namespace kbase::postgres
