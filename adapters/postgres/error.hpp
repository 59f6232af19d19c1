// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "domain/model/error.hpp"

namespace kbase::postgres {

/// Error that PostgreSQL or libpq reported.
struct Failure {
  std::string_view sqlstate;  ///< five characters (PostgreSQL manual, appendix A); empty: the connection failed
  std::string_view text;      ///< contains no password: libpq never writes one into its messages
  std::string_view server;    ///< "host:port"
};

/// Maps an SQLSTATE to a kbase error. The only such mapping. The detail names the server; the message does not, because
/// clients can see it.
model::Error error_of(const Failure& failure);

}  // namespace kbase::postgres
