// SPDX-License-Identifier: Apache-2.0
#include "tests/edge/raw_cases.hpp"

#include <iterator>

namespace kbase::tests {

RawCases all_raw_cases() {
  RawCases all;
  for (RawCases (*table)() : {request_line_cases, target_cases, foreign_protocol_cases, field_cases, host_cases,
                              content_length_cases, transfer_encoding_cases, chunk_cases, pipeline_cases,
                              connection_cases, expectation_cases, limit_cases, timeout_cases}) {
    RawCases part = table();
    std::move(part.begin(), part.end(), std::back_inserter(all));
  }
  return all;
}

}  // namespace kbase::tests
