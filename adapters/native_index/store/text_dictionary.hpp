// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

struct ZSTD_CCtx_s;
struct ZSTD_CDict_s;
struct ZSTD_DCtx_s;
struct ZSTD_DDict_s;

namespace kbase::native_index {

/// What texts have in common, learned from samples, so that each short piece of text is compressed well on its own:
/// with pieces of 1 KiB a third is saved. zstd's dictionary (RFC 8878, section 5). Immutable. Thread-safe.
class TextDictionary {
 public:
  static constexpr std::size_t kMaxBytes = std::size_t{64} * 1024;
  static constexpr std::size_t kMaxSampleBytes = std::size_t{4} << 20;

  /// Returns the size of a dictionary that is worth its space for so many bytes of text.
  static std::size_t wanted_bytes(std::uint64_t text) {
    constexpr std::uint64_t kTextPerByte = 64;
    return static_cast<std::size_t>(std::min<std::uint64_t>(kMaxBytes, text / kTextPerByte));
  }

  /// Learns from `samples`, one after the other with these sizes; takes about 0.1 s per MiB. Null if they are too few.
  static std::shared_ptr<const TextDictionary> learn(std::string_view samples, std::span<const std::size_t> sizes);

  /// Restores a dictionary from bytes(). Null if they are empty or damaged.
  static std::shared_ptr<const TextDictionary> restore(std::string_view bytes);

  TextDictionary(const TextDictionary&) = delete;
  TextDictionary& operator=(const TextDictionary&) = delete;
  ~TextDictionary();

  std::string_view bytes() const { return bytes_; }

 private:
  friend class TextCompressor;
  friend class TextDecompressor;

  explicit TextDictionary(std::string bytes);

  std::string bytes_;
  ZSTD_DDict_s* prepared_ = nullptr;
};

/// Compresses pieces of text, each on its own. Not thread-safe.
class TextCompressor {
 public:
  /// `dictionary` may be null. `level`: zstd's.
  TextCompressor(std::shared_ptr<const TextDictionary> dictionary, int level);
  TextCompressor(const TextCompressor&) = delete;
  TextCompressor& operator=(const TextCompressor&) = delete;
  ~TextCompressor();

  /// Appends the compressed piece.
  void append_to(std::string& packed, std::string_view text);

  const std::shared_ptr<const TextDictionary>& dictionary() const { return dictionary_; }

 private:
  std::shared_ptr<const TextDictionary> dictionary_;
  ZSTD_CCtx_s* context_;
  ZSTD_CDict_s* prepared_;
};

/// Decompresses pieces of text. Not thread-safe.
class TextDecompressor {
 public:
  TextDecompressor();
  TextDecompressor(const TextDecompressor&) = delete;
  TextDecompressor& operator=(const TextDecompressor&) = delete;
  ~TextDecompressor();

  /// Writes the text of `packed`, which must have `size` bytes. `dictionary`: the one it was compressed with; may be
  /// null. Returns false if the piece is damaged.
  [[nodiscard]] bool decompress(std::string_view packed, const TextDictionary* dictionary, char* text,
                                std::size_t size);

 private:
  ZSTD_DCtx_s* context_;
  std::string frame_;
};

}  // namespace kbase::native_index
