// SPDX-License-Identifier: Apache-2.0
#include "adapters/fts5/fts5_search_index.hpp"
#include "adapters/memory_index/memory_search_index.hpp"
#include "adapters/native_index/files/posix_files.hpp"
#include "adapters/native_index/native_search_index.hpp"
#include "plugins/conformance/search_index_suite.hpp"
#include "tests/support/contract.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kbase::tests {
namespace {

using conformance::SearchIndexFixture;

class MemoryFixture final : public SearchIndexFixture {
 public:
  ports::SearchIndex& port() override { return index_; }
  bool reopen() override { return false; }

 private:
  memory_index::MemorySearchIndex index_;
};

class Fts5Fixture final : public SearchIndexFixture {
 public:
  Fts5Fixture() { open(); }
  ports::SearchIndex& port() override { return *index_; }
  bool reopen() override {
    index_.reset();
    open();
    return true;
  }

 private:
  void open() {
    fts5::Options options;
    options.path = folder_.path() / "search";
    index_ = fts5::Fts5SearchIndex::open(options, clock).value();
  }

  TemporaryFolder folder_;
  std::unique_ptr<fts5::Fts5SearchIndex> index_;
};

class NativeFixture final : public SearchIndexFixture {
 public:
  NativeFixture() { open(); }
  ports::SearchIndex& port() override { return *index_; }
  bool reopen() override {
    index_.reset();
    open();
    return true;
  }

 private:
  void open() {
    native_index::Options options;
    options.path = folder_.path() / "search";
    index_ = native_index::NativeSearchIndex::open(options, files_, clock, nullptr).value();
  }

  TemporaryFolder folder_;
  native_index::PosixFiles files_;
  std::unique_ptr<native_index::NativeSearchIndex> index_;
};

template <class F>
std::unique_ptr<SearchIndexFixture> make() {
  return std::make_unique<F>();
}

const bool kRegistered =
    register_contract<SearchIndexFixture>("MemorySearchIndex", conformance::search_index_suite(),
                                          make<MemoryFixture>) &&
    register_contract<SearchIndexFixture>("Fts5SearchIndex", conformance::search_index_suite(), make<Fts5Fixture>) &&
    register_contract<SearchIndexFixture>("NativeSearchIndex", conformance::search_index_suite(), make<NativeFixture>);

}  // namespace
}  // namespace kbase::tests
