// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/edge/raw_case.hpp"

/// Tables of raw cases, one for each part of HTTP/1.1 (RFC 9110, RFC 9112) as the API restricts it.
namespace kbase::tests {

RawCases request_line_cases();
RawCases target_cases();
RawCases foreign_protocol_cases();
RawCases field_cases();
RawCases host_cases();
RawCases content_length_cases();
RawCases transfer_encoding_cases();
RawCases chunk_cases();
RawCases pipeline_cases();
RawCases connection_cases();
RawCases expectation_cases();
RawCases limit_cases();
RawCases timeout_cases();

/// Returns the cases of all tables.
RawCases all_raw_cases();

}  // namespace kbase::tests
