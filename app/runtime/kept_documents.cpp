// SPDX-License-Identifier: Apache-2.0
#include "app/runtime/kept_documents.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <utility>

namespace kbase::runtime {
namespace {

constexpr std::size_t kMaxUnwritten = std::size_t{1} << 20;  // bytes
constexpr std::size_t kFirstPlaces = 16'384;
constexpr std::uint64_t kWindow = std::uint64_t{1} << 18;  // bytes; documents are read in the order of the file

void add_text(std::string& bytes, std::string_view text) {
  bytes.append(std::to_string(text.size())).append(" ").append(text);
}

/// Removes and returns the first text of `bytes`, which add_text() made.
std::string_view take_text(std::string_view& bytes) {
  std::size_t size = 0;
  const auto [end, error] = std::from_chars(bytes.data(), bytes.data() + bytes.size(), size);
  bytes.remove_prefix(static_cast<std::size_t>(end - bytes.data()) + 1);
  const std::string_view text = bytes.substr(0, size);
  bytes.remove_prefix(text.size());
  return text;
}

std::string encode(const model::Document& document) {
  std::string bytes;
  bytes.reserve(document.text.size() + document.heading.size() + 32 * (1 + document.sections.size()));
  add_text(bytes, document.text);
  add_text(bytes, document.heading);
  for (const model::Section& section : document.sections) add_text(bytes, model::encode_section(section));
  return bytes;
}

model::Document decode(std::string_view bytes) {
  model::Document document;
  document.text = take_text(bytes);
  document.heading = take_text(bytes);
  while (!bytes.empty()) document.sections.push_back(model::decode_section(take_text(bytes)).value());
  return document;
}

bool write_all(int file, std::string_view bytes, std::uint64_t at) {
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(file, bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
    at += static_cast<std::uint64_t>(written);
  }
  return true;
}

bool read_all(int file, std::string& bytes, std::uint64_t at) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t read = ::pread(file, bytes.data() + done, bytes.size() - done, static_cast<off_t>(at + done));
    if (read <= 0) return false;
    done += static_cast<std::size_t>(read);
  }
  return true;
}

}  // namespace

// Some file systems have no unnamed files; documents are not kept there.
KeptDocuments::KeptDocuments(const ports::Markup& markup, ports::Random& random, const std::filesystem::path& folder)
    : markup_(markup), file_(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600)) {
  std::array<std::uint8_t, sizeof seed_> bytes;
  random.fill(bytes);
  std::memcpy(&seed_, bytes.data(), sizeof seed_);
  places_.reserve(kFirstPlaces);
}

KeptDocuments::~KeptDocuments() {
  if (file_ >= 0) ::close(file_);
}

model::Document KeptDocuments::document(std::string_view content, model::Format format) const {
  if (file_ < 0) return markup_.document(content, format);
  const auto hash = XXH3_128bits_withSeed(content.data(), content.size(), seed_ + static_cast<std::uint64_t>(format));
  const Key key{hash.low64, hash.high64};
  if (auto kept = read(key)) return *std::move(kept);
  model::Document document = markup_.document(content, format);
  keep(key, document);
  return document;
}

std::optional<model::Document> KeptDocuments::read(const Key& key) const {
  const std::lock_guard lock(mutex_);
  const auto found = places_.find(key);
  if (found == places_.end()) return std::nullopt;
  const auto [begin, size] = found->second;
  if (begin >= size_) return decode(std::string_view(next_).substr(begin - size_, size));
  if (begin < window_begin_ || begin + size > window_begin_ + window_.size()) {
    window_begin_ = begin;
    window_.resize(std::max(size, std::min(kWindow, size_ - begin)));
    if (!read_all(file_, window_, begin)) {
      window_.clear();
      return std::nullopt;
    }
  }
  return decode(std::string_view(window_).substr(begin - window_begin_, size));
}

void KeptDocuments::keep(const Key& key, const model::Document& document) const {
  const std::string bytes = encode(document);
  const std::lock_guard lock(mutex_);
  if (places_.size() >= kMaxDocuments || size_ + next_.size() + bytes.size() > kMaxBytes) return;
  if (next_.size() >= kMaxUnwritten && !write_next()) return;
  if (places_.try_emplace(key, Place{size_ + next_.size(), bytes.size()}).second) next_ += bytes;
}

/// False: the disk is full, or fails. What the file has is kept.
bool KeptDocuments::write_next() const {
  if (!write_all(file_, next_, size_)) return false;
  size_ += next_.size();
  next_.clear();
  return true;
}

}  // namespace kbase::runtime
