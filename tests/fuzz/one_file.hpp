// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "adapters/native_index/files/section_file.hpp"

namespace kbase::fuzz {

/// Bytes aligned to 64, allocated at the exact size so that a sanitizer detects any access beyond the end.
class AlignedBytes final : public native_index::MappedFile {
 public:
  explicit AlignedBytes(std::string_view bytes)
      : bytes_(static_cast<std::byte*>(::operator new(bytes.size(), kAlignment))), size_(bytes.size()) {
    std::memcpy(bytes_, bytes.data(), bytes.size());
  }
  AlignedBytes(const AlignedBytes&) = delete;
  AlignedBytes& operator=(const AlignedBytes&) = delete;
  ~AlignedBytes() override { ::operator delete(bytes_, kAlignment); }

  std::span<const std::byte> bytes() const noexcept override { return {bytes_, size_}; }
  void release(std::span<const std::byte>) const noexcept override {}

 private:
  static constexpr std::align_val_t kAlignment{64};
  std::byte* bytes_;
  std::size_t size_;
};

/// A disk with one file; paths are ignored. `content` is mapped; a new file replaces it.
class OneFile final : public native_index::Files {
 public:
  explicit OneFile(std::string content = {}) : content_(std::make_shared<std::string>(std::move(content))) {}

  const std::string& content() const { return *content_; }

  Result<std::unique_ptr<native_index::NewFile>> create(const std::filesystem::path&) override {
    content_->clear();
    return {std::make_unique<Growing>(content_)};
  }
  Result<std::shared_ptr<const native_index::MappedFile>> map(const std::filesystem::path&) override {
    return {std::make_shared<const AlignedBytes>(*content_)};
  }
  std::optional<native_index::FileStamp> stamp(const std::filesystem::path&) override { return std::nullopt; }
  Status rename(const std::filesystem::path&, const std::filesystem::path&) override { return {}; }
  Status remove(const std::filesystem::path&) override { return {}; }
  Result<std::vector<std::string>> list(const std::filesystem::path&) override { return std::vector<std::string>{}; }
  Status create_folder(const std::filesystem::path&) override { return {}; }
  Status sync_folder(const std::filesystem::path&) override { return {}; }
  Result<std::unique_ptr<native_index::FileLock>> lock(const std::filesystem::path&) override {
    return {std::make_unique<native_index::FileLock>()};
  }

 private:
  class Growing final : public native_index::NewFile {
   public:
    explicit Growing(std::shared_ptr<std::string> content) : content_(std::move(content)) {}
    Status append(std::string_view bytes) override {
      *content_ += bytes;
      return {};
    }
    Status sync() override { return {}; }

   private:
    std::shared_ptr<std::string> content_;
  };

  std::shared_ptr<std::string> content_;
};

/// Applies four bytes of a fuzzer's input to a section: bytes 1 and 2 are the position, byte 3 is the new value. At
/// some positions, byte 3 is the number of bytes cut off the end. Byte 0 is the caller's.
inline void change(std::string& section, const std::uint8_t* bytes) {
  const std::size_t place = bytes[1] | static_cast<std::size_t>(bytes[2]) << 8;
  if (section.empty()) return;
  if (place % 16 == 15)
    section.resize(section.size() - std::min<std::size_t>(section.size(), bytes[3]));
  else
    section[place % section.size()] = static_cast<char>(bytes[3]);
}

}  // namespace kbase::fuzz
