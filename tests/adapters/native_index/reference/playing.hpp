// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "domain/model/query.hpp"
#include "tests/adapters/native_index/reference/history.hpp"

namespace kbase::tests {

/// Applies the changes of a batch, without a commit.
Status write(ports::IndexWriter& writer, ports::Call& call, const Batch& batch);

/// A search as a request, with the query that it refers to.
class SampleRequest {
 public:
  explicit SampleRequest(const SampleSearch& search);
  SampleRequest(const SampleRequest&) = delete;
  SampleRequest& operator=(const SampleRequest&) = delete;

  /// False: the query is too short, as a shrunk one may be.
  bool is_valid() const { return is_valid_; }
  const ports::SearchRequest& request() const { return request_; }

 private:
  std::optional<model::QueryNode> query_;
  ports::SearchRequest request_;
  bool is_valid_;
};

}  // namespace kbase::tests
