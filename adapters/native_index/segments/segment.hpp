// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

#include "adapters/native_index/columns/columns.hpp"
#include "adapters/native_index/dictionary/dictionary.hpp"
#include "adapters/native_index/files/section_file.hpp"
#include "adapters/native_index/postings/posting_list.hpp"
#include "adapters/native_index/store/store.hpp"

namespace kbase::native_index {

/// An immutable part of the index: a mapped file with documents, numbered from 0 by (updated descending, id ascending),
/// and their terms. Any number of threads.
class Segment {
 public:
  /// Checks what a wrong byte could lead out of the file by; verify() checks all. Corrupt, NotFound, Unsupported as
  /// SectionFile.
  static model::Result<std::shared_ptr<const Segment>> open(Files& files, const std::filesystem::path& path);

  std::uint32_t documents() const { return columns_.documents(); }
  std::uint32_t windows() const { return (documents() + kWindowDocuments - 1) / kWindowDocuments; }

  /// Of the ImpactScale that the impacts are of.
  float pivot() const { return pivot_; }

  /// Makes the processor fetch what there is of a document, without waiting for it: documents lie anywhere, and who
  /// wants several waits once.
  void prefetch(std::uint32_t document) const noexcept {
    columns_.prefetch(document);
    store_.prefetch(document);
  }

  const Columns& columns() const { return columns_; }
  const Dictionary& dictionary() const { return dictionary_; }
  const Store& store() const { return store_; }
  const SectionFile& file() const { return *file_; }

  /// Of a term of the dictionary. One without postings where there is none, or where it is damaged.
  PostingList list(const TermEntry& entry) const;
  PostingList list_of(std::string_view term) const;

 private:
  Segment(std::shared_ptr<const SectionFile> file, float pivot, Columns columns, Dictionary dictionary, Store store);

  std::shared_ptr<const SectionFile> file_;
  float pivot_;
  Columns columns_;
  Dictionary dictionary_;
  Store store_;
  std::span<const std::byte> postings_;
  std::span<const std::byte> positions_;
};

}  // namespace kbase::native_index
