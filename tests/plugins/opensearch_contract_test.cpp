// SPDX-License-Identifier: Apache-2.0
#include <stdexcept>
#include <string>

#include "app/plugin_host/host_table.hpp"
#include "plugins/conformance/suites.hpp"
#include "tests/plugins/host_fixture.hpp"
#include "tests/support/contract.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/temporary_opensearch_index.hpp"

/// Runs the contract suite through the shared object, with the server's HTTP extension.
namespace kbase::tests {
namespace {

using conformance::SearchIndexFixture;

template <class Value> Value value_of(Result<Value> result) {
  if (!result) throw std::runtime_error(result.error().message + " (" + result.error().detail + ")");
  return *std::move(result);
}

class BoundaryFixture final : public SearchIndexFixture {
 public:
  BoundaryFixture() : plugin_(value_of(plugin_host::load_plugin(KBASE_OPENSEARCH_PLUGIN, {}))) { reopen(); }

  ports::SearchIndex& port() override { return *index_; }
  bool reopen() override {
    index_.reset();
    const opensearch::Json settings{
        {"url", fixture_.url()}, {"index", fixture_.index()}, {"replicas", 0}, {"spool", folder_.path().string()}};
    index_ = value_of(plugin_host::open_port<ports::SearchIndex>(plugin_, host_, settings.dump()));
    return true;
  }

 private:
  TemporaryOpenSearchIndex fixture_;
  const plugin_host::Plugin plugin_;
  TemporaryFolder folder_;
  RecordingLog log_;
  const plugin_host::HostTable host_{plugin_, {clock, log_, nullptr, &fixture_.http()}};
  std::unique_ptr<ports::SearchIndex> index_;
};

std::unique_ptr<SearchIndexFixture> make() { return std::make_unique<BoundaryFixture>(); }

const bool kRegistered = register_contract<SearchIndexFixture>("OpenSearchPlugin", conformance::search_index_suite(),
                                                               make, missing_opensearch());

}  // namespace
}  // namespace kbase::tests
