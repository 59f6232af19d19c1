// SPDX-License-Identifier: Apache-2.0
#include "plugins/conformance/suites.hpp"
#include "tests/support/contract.hpp"
#include "tests/support/temporary_opensearch_index.hpp"

namespace kbase::tests {
namespace {

using conformance::SearchIndexFixture;

class OpenSearchFixture final : public SearchIndexFixture {
 public:
  OpenSearchFixture() { reopen(); }

  ports::SearchIndex& port() override { return *index_; }
  bool reopen() override {
    index_.reset();
    index_ = resource_.open(clock);
    return true;
  }

 private:
  TemporaryOpenSearchIndex resource_;
  std::unique_ptr<ports::SearchIndex> index_;
};

std::unique_ptr<SearchIndexFixture> make() { return std::make_unique<OpenSearchFixture>(); }

const bool kRegistered = register_contract<SearchIndexFixture>(
    "OpenSearchSearchIndex", conformance::search_index_suite(), make, missing_opensearch());

}  // namespace
}  // namespace kbase::tests
