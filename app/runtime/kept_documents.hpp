// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "ports/driven/crypto.hpp"
#include "ports/driven/markup.hpp"

namespace kbase::runtime {

/// Makes each document once: it keeps them in an unnamed file, so that the index that follows an import reads what the
/// import made. At most kMaxDocuments are kept, and kMaxBytes; further ones, and all after an error of the file, are
/// made each time. Thread-safe.
class KeptDocuments final : public ports::Markup {
 public:
  static constexpr std::size_t kMaxDocuments = 200'000;
  static constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 30;

  /// `folder` is that of the file. `random` makes the hashes of contents unpredictable. `markup` must outlive the
  /// object.
  KeptDocuments(const ports::Markup& markup, ports::Random& random, const std::filesystem::path& folder);
  ~KeptDocuments() override;
  KeptDocuments(const KeptDocuments&) = delete;
  KeptDocuments& operator=(const KeptDocuments&) = delete;

  model::Document document(std::string_view content, model::Format format) const override;
  model::PageHead head(std::string_view html) const override { return markup_.head(html); }
  std::string main_part(std::string_view html, std::string_view address) const override {
    return markup_.main_part(html, address);
  }
  std::string line(std::string_view markdown) const override { return markup_.line(markdown); }

 private:
  /// Hash of a content and its format.
  struct Key {
    std::uint64_t low, high;

    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const noexcept { return key.low; }
  };
  /// A range of the file.
  struct Place {
    std::uint64_t begin = 0;
    std::uint64_t size = 0;
  };

  std::optional<model::Document> read(const Key& key) const;
  void keep(const Key& key, const model::Document& document) const;
  bool write_next() const;

  const ports::Markup& markup_;
  std::uint64_t seed_ = 0;
  mutable std::mutex mutex_;
  mutable int file_;  // -1: no file
  mutable std::unordered_map<Key, Place, KeyHash> places_;
  mutable std::uint64_t size_ = 0;  // of the file
  mutable std::string next_;        // follows the bytes of the file
  mutable std::string window_;      // bytes of the file around the document that was read last
  mutable std::uint64_t window_begin_ = 0;
};

}  // namespace kbase::runtime
