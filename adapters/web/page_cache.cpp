// SPDX-License-Identifier: Apache-2.0
#include "adapters/web/page_cache.hpp"

#include <zlib.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

namespace kbase::web {
namespace {

using nlohmann::json;

// The file begins with this line. A response is a line of JSON that describes it, followed by its compressed body.
constexpr std::string_view kFirstLine = "kbase pages 2\n";

std::string text_of(const json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::uint64_t number_of(const json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_number_unsigned() ? found->get<std::uint64_t>() : 0;
}

/// Removes what killed runs have written. No other run writes the file at the same time: an import holds the store.
void remove_abandoned(const std::filesystem::path& file) {
  std::error_code failed;
  const std::string start = file.filename().string() + ".part-";
  for (const auto& each : std::filesystem::directory_iterator(file.parent_path(), failed))
    if (each.path().filename().string().starts_with(start)) std::filesystem::remove(each.path(), failed);
}

}  // namespace

PageCache::PageCache(std::string file) : file_(std::move(file)) {
  if (file_.empty()) return;
  read();
  std::error_code failed;
  std::filesystem::create_directories(std::filesystem::path(file_).parent_path(), failed);
  remove_abandoned(file_);
  auto next = content::open_output(file_, OutputFile::Permissions::OwnerOnly);
  if (!next) {
    defect_ = next.error().message;
    return;
  }
  next_ = *std::move(next);
  if (const auto written = next_->write(kFirstLine); !written) defect_ = written.error().message;
}

void PageCache::read() {
  last_.open(file_, std::ios::binary);
  std::string line;
  if (!std::getline(last_, line) || line + '\n' != kFirstLine) return;
  std::error_code failed;
  const std::uint64_t size = std::filesystem::file_size(file_, failed);
  while (!failed && std::getline(last_, line)) {
    const json described = json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (!described.is_object()) break;
    Entry entry{{text_of(described, "etag"), text_of(described, "modified"), text_of(described, "type"),
                 text_of(described, "robots")},
                static_cast<std::uint64_t>(last_.tellg()),
                number_of(described, "bytes"),
                number_of(described, "plain_bytes"),
                false};
    if (entry.bytes > size - entry.offset || entry.plain_bytes > content::kMaxRecordBytes) break;
    last_.seekg(static_cast<std::streamoff>(entry.offset + entry.bytes));
    entries_[text_of(described, "address")] = std::move(entry);
  }
}

std::optional<Validator> PageCache::find(std::string_view address) const {
  const auto found = entries_.find(address);
  if (found == entries_.end()) return std::nullopt;
  return found->second.validator;
}

std::optional<std::string> PageCache::packed(const Entry& entry) {
  std::string bytes(entry.bytes, '\0');
  last_.clear();
  last_.seekg(static_cast<std::streamoff>(entry.offset));
  if (!last_.read(bytes.data(), static_cast<std::streamsize>(bytes.size()))) return std::nullopt;
  return bytes;
}

std::optional<std::string> PageCache::body(std::string_view address) {
  const auto found = entries_.find(address);
  if (found == entries_.end()) return std::nullopt;
  const auto bytes = packed(found->second);
  if (!bytes) return std::nullopt;
  std::string body(found->second.plain_bytes, '\0');
  uLongf size = body.size();
  const int outcome = uncompress(reinterpret_cast<Bytef*>(body.data()), &size,
                                 reinterpret_cast<const Bytef*>(bytes->data()), bytes->size());
  if (outcome != Z_OK || size != body.size()) return std::nullopt;
  return body;
}

void PageCache::put(std::string_view address, const Validator& validator, std::string_view body) {
  if (next_ == nullptr || !defect_.empty() || !validator.is_usable()) return;
  std::string bytes(compressBound(body.size()), '\0');
  uLongf size = bytes.size();
  const int outcome = compress2(reinterpret_cast<Bytef*>(bytes.data()), &size,
                                reinterpret_cast<const Bytef*>(body.data()), body.size(), Z_BEST_SPEED);
  if (outcome != Z_OK) return;  // out of memory; the next run requests the whole page
  bytes.resize(size);
  append(address, validator, bytes, body.size());
  if (const auto found = entries_.find(address); found != entries_.end()) found->second.is_put = true;
}

void PageCache::append(std::string_view address, const Validator& validator, std::string_view packed,
                       std::uint64_t plain_bytes) {
  const json described = {{"address", address},        {"etag", validator.etag},     {"modified", validator.modified},
                          {"type", validator.type},    {"robots", validator.robots}, {"bytes", packed.size()},
                          {"plain_bytes", plain_bytes}};
  const std::string line = described.dump(-1, ' ', false, json::error_handler_t::replace) + '\n';
  for (const std::string_view part : {std::string_view(line), packed}) {
    if (!defect_.empty()) return;
    if (const auto written = next_->write(part); !written) defect_ = written.error().message;
  }
}

void PageCache::finish(bool keeps_others) {
  if (next_ == nullptr) return;
  if (keeps_others)
    for (const auto& [address, entry] : entries_)
      if (!entry.is_put)
        if (const auto bytes = packed(entry)) append(address, entry.validator, *bytes, entry.plain_bytes);
  if (defect_.empty())
    if (const auto finished = next_->finish(); !finished) defect_ = finished.error().message;
  next_.reset();
}

}  // namespace kbase::web
