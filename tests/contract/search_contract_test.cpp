// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/files/files.hpp"
#include "adapters/native_index/native_search_index.hpp"
#include "plugins/conformance/suites.hpp"
#include "tests/support/contract.hpp"
#include "tests/support/memory_index/memory_search_index.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kbase::tests {
namespace {

using conformance::SearchIndexFixture;

native_index::PosixFiles files;

class MemoryFixture final : public SearchIndexFixture {
 public:
  ports::SearchIndex& port() override { return index_; }
  bool reopen() override { return false; }

 private:
  memory_index::MemorySearchIndex index_;
};

/// Fixture for an index that is stored in a folder.
class FolderFixture : public SearchIndexFixture {
 public:
  ports::SearchIndex& port() override { return *index_; }
  bool reopen() override {
    index_.reset();
    index_ = open(folder_.path() / "search");
    return true;
  }

 protected:
  virtual std::unique_ptr<ports::SearchIndex> open(const std::filesystem::path& path) = 0;

 private:
  TemporaryFolder folder_;
  std::unique_ptr<ports::SearchIndex> index_;
};

class NativeFixture final : public FolderFixture {
 public:
  NativeFixture() { reopen(); }

 private:
  std::unique_ptr<ports::SearchIndex> open(const std::filesystem::path& path) override {
    native_index::Options options;
    options.path = path;
    return native_index::NativeSearchIndex::open(options, files, clock, nullptr).value();
  }
};

template <class F> std::unique_ptr<SearchIndexFixture> make() { return std::make_unique<F>(); }

const bool kRegistered =
    register_contract<SearchIndexFixture>("MemorySearchIndex", conformance::search_index_suite(),
                                          make<MemoryFixture>) &&
    register_contract<SearchIndexFixture>("NativeSearchIndex", conformance::search_index_suite(), make<NativeFixture>);

}  // namespace
}  // namespace kbase::tests
