// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/store/text_dictionary.hpp"

#include <zdict.h>
#include <zstd.h>

#include <algorithm>
#include <new>
#include <utility>

namespace kbase::native_index {
namespace {

/// The first bytes of every frame (RFC 8878, section 3.1.1), which are not stored.
constexpr std::string_view kMagic = "\x28\xB5\x2F\xFD";

constexpr std::size_t kMinBytes = 1024;
constexpr std::size_t kMinSamples = 16;

/// Throws if an object could not be made, which zstd reports by null.
template <class T> T* made(T* object) {
  if (object == nullptr) throw std::bad_alloc();
  return object;
}

}  // namespace

std::shared_ptr<const TextDictionary> TextDictionary::learn(std::string_view samples,
                                                            std::span<const std::size_t> sizes) {
  const std::size_t capacity = wanted_bytes(samples.size());
  if (sizes.size() < kMinSamples || capacity < kMinBytes) return nullptr;
  std::string bytes(capacity, '\0');
  const std::size_t size = ZDICT_trainFromBuffer(bytes.data(), bytes.size(), samples.data(), sizes.data(),
                                                 static_cast<unsigned>(sizes.size()));
  if (ZDICT_isError(size) != 0) return nullptr;  // the samples have too little in common
  bytes.resize(size);
  return restore(bytes);
}

std::shared_ptr<const TextDictionary> TextDictionary::restore(std::string_view bytes) {
  if (bytes.empty()) return nullptr;
  const std::shared_ptr<const TextDictionary> dictionary(new TextDictionary(std::string(bytes)));
  return dictionary->prepared_ != nullptr ? dictionary : nullptr;
}

TextDictionary::TextDictionary(std::string bytes)
    : bytes_(std::move(bytes)), prepared_(ZSTD_createDDict(bytes_.data(), bytes_.size())) {}

TextDictionary::~TextDictionary() { ZSTD_freeDDict(prepared_); }

TextCompressor::TextCompressor(std::shared_ptr<const TextDictionary> dictionary, int level)
    : dictionary_(std::move(dictionary)),
      context_(made(ZSTD_createCCtx())),
      prepared_(dictionary_ == nullptr
                    ? nullptr
                    : ZSTD_createCDict(dictionary_->bytes_.data(), dictionary_->bytes_.size(), level)) {
  ZSTD_CCtx_setParameter(context_, ZSTD_c_compressionLevel, level);
  ZSTD_CCtx_setParameter(context_, ZSTD_c_contentSizeFlag, 0);
  ZSTD_CCtx_setParameter(context_, ZSTD_c_dictIDFlag, 0);
  if (prepared_ != nullptr) ZSTD_CCtx_refCDict(context_, prepared_);
}

TextCompressor::~TextCompressor() {
  ZSTD_freeCCtx(context_);
  ZSTD_freeCDict(prepared_);
}

void TextCompressor::append_to(std::string& packed, std::string_view text) {
  const std::size_t before = packed.size();
  packed.resize(before + ZSTD_compressBound(text.size()));
  const std::size_t size =
      ZSTD_compress2(context_, packed.data() + before, packed.size() - before, text.data(), text.size());
  if (ZSTD_isError(size) != 0) throw std::bad_alloc();  // the only reason, as the space is enough
  packed.resize(before + size);
  packed.erase(before, kMagic.size());
}

TextDecompressor::TextDecompressor() : context_(made(ZSTD_createDCtx())), frame_(kMagic) {}

TextDecompressor::~TextDecompressor() { ZSTD_freeDCtx(context_); }

bool TextDecompressor::decompress(std::string_view packed, const TextDictionary* dictionary, char* text,
                                  std::size_t size) {
  frame_.resize(kMagic.size());
  frame_ += packed;
  const std::size_t written =
      dictionary == nullptr
          ? ZSTD_decompressDCtx(context_, text, size, frame_.data(), frame_.size())
          : ZSTD_decompress_usingDDict(context_, text, size, frame_.data(), frame_.size(), dictionary->prepared_);
  return written == size;
}

}  // namespace kbase::native_index
